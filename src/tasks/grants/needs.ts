import type { Right, TaskService } from '../model/index.ts'

/** Any one of these is enough; none: only the owner may, whatever a token says. */
type Needs = readonly Right[]

/** What each method needs of a named token. A method of the service without a line here does not compile. */
export const NEEDS = {
  start: ['start'],
  list: ['read'],
  count: ['read'],
  get: ['read'],
  show: ['read'],
  wait: ['read'],
  follow: ['read'],
  followAll: ['read'],
  events: ['read'],
  wholeEvent: ['read'],
  senders: [],
  send: ['start'],
  cancelMessage: ['start'],
  placeToRead: ['read'],
  uploads: ['read'],
  // As for a message.
  placeToUpload: ['start'],
  addUploads: ['start'],
  removeUpload: ['start'],
  interrupt: ['start'],
  fork: ['start'],
  resume: ['start'],
  change: ['start'],
  // It would take the evidence with it.
  delete: [],
  deliverables: ['read'],
  deliverableContent: ['read'],
  // What they are answered with goes on with the task.
  answerDeliverable: ['start'],
  clearAttention: ['start'],
  callerMessages: ['read'],
  answerCallerMessage: ['start'],
  approvals: ['read'],
  approval: ['read'],
  decide: ['answer', 'answer-own'],
  audit: ['read'],
  notices: ['read'],
  retryNotice: [],
  rules: [],
  addRule: [],
  revokeRule: [],
  workers: [],
  drainWorker: [],
  models: ['read'],
  appServers: [],
  usage: ['read'],
  counts: ['read'],
} as const satisfies Readonly<Record<keyof TaskService, Needs>>

/** The methods that a token can be allowed to call. */
export type BoundedMethods = {
  [Method in keyof TaskService as (typeof NEEDS)[Method] extends readonly []
    ? never
    : Method]: TaskService[Method]
}
