// What the service can be told, from its settings file and the environment. The only place that reads either.
export { readSettings, SettingsError, settingsFile } from './read-settings.ts'
export { type Settings, toSettings } from './settings.ts'
