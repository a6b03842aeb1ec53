// Drawbridge as tools that other agents call. A door like `api`: it gets a task service that is bounded for its caller.
export { catalogue } from './catalogue.ts'
export { answerMcp } from './http-door.ts'
export { CLIENT_APPS, type ClientApp, ENTRY_NAME, type Entry, entryIn, withEntry } from './install/index.ts'
export { type McpCaller, type McpTasks, mayAnswerBy } from './mcp-caller.ts'
export { serveMcp } from './stdio-door.ts'
