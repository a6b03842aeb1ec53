// How other programs are told of Drawbridge: their files, and one entry in them.
export { CLIENT_APPS, type ClientApp, ENTRY_NAME, type Places, type ServerCommand } from './client-apps.ts'
export { type Entry, entryIn, withEntry } from './edit-entry.ts'
