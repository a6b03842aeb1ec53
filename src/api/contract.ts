// Everything that is said over HTTP: the schemas of requests and answers, and their types. Nothing here knows node, hono
// or the task service, so that a browser's code can have the types; `contract/agreement.ts` proves that they agree.
export * from './contract/approval.ts'
export * from './contract/error.ts'
export * from './contract/event.ts'
export * from './contract/input.ts'
export * from './contract/login.ts'
export * from './contract/message.ts'
export * from './contract/notice.ts'
export * from './contract/paging.ts'
export * from './contract/question.ts'
export * from './contract/rule.ts'
export * from './contract/system.ts'
export * from './contract/task.ts'
