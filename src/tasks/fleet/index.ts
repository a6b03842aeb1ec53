// Several workers on one PostgreSQL: membership, leases, claims, commands between workers. Not used on SQLite.
export type { Command } from './command.ts'
export { Fleet } from './fleet.ts'
export { FLEET_DEFAULTS, type FleetOptions } from './fleet-options.ts'
export { Membership } from './membership.ts'
export { endOrphanTurn } from './orphan-turns.ts'
export { isForHere } from './placement.ts'
export { refuseElsewhere } from './refuse-elsewhere.ts'
