// What is written to a task's row and log, inside the caller's change: its status, messages, incidents.
export { attentionOf, clearAttention } from './attention.ts'
export { incidentText, writeIncident } from './incidents.ts'
export { messageEvent } from './message-event.ts'
export { changeStatus, queued, refreshWaiting, type StatusChange, wantsInput } from './task-status.ts'
export { writeToolCall } from './tool-calls.ts'
export { writeOwn } from './write-own.ts'
