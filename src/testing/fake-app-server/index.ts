export { type FakeCodex, fakeCodex } from './fake-codex.ts'
export type { FakeEvent } from './journal.ts'
export type { Action, FakeMessage, FakeScript, Step } from './script.ts'
/** The words of a fake's script. */
export * as fake from './script-words.ts'
