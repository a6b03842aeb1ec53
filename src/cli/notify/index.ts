// `drawbridge notify`: the notices that were sent, and a test of where they go.
export { addNotifyCommand } from './command.ts'
