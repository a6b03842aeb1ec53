// What the service can be told, from its settings file and the environment. The only place that reads either.
export { readSettings } from './read-settings.ts'
export type { Settings } from './settings.ts'
