// How an error ends a command. Loaded only when there is one.
export { plainError } from './plain-error.ts'
