// How workers on one PostgreSQL tell each other that there is something to read. Loaded only with PostgreSQL.
export type { Bus, BusListener, News } from './bus.ts'
export { type OpenBusOptions, openBus } from './open-bus.ts'
