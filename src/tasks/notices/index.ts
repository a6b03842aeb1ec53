// Tells people and programs what happens to tasks. `makeNotices` says what, the store keeps it together with its
// cause, and `OutboxWorker` brings it to its target at least once.
export { AddressGuard } from './address-guard.ts'
export type { AllowPrivate } from './address-ranges.ts'
export { Announcer } from './announcer.ts'
export { type Clock, clockOf } from './clock.ts'
export { type Draft, NoticeSender, type NoticeSettings } from './notice-sender.ts'
export type { NoticeSubject } from './notice-text.ts'
export {
  makeNotices,
  type NewNotice,
  type NoticeMaking,
  type NoticePayload,
} from './notices.ts'
export type { Outbox } from './outbox.ts'
export { OutboxWorker, type OutboxWorkerOptions } from './outbox-worker.ts'
export { RETRIES, type RetryOptions } from './retry-plan.ts'
export type { SendResult, SmtpSettings } from './senders/index.ts'
export { signBody, verifySignature } from './signature.ts'
export {
  findNotice,
  findOutgoing,
  noticePage,
  putNotices,
  sharedOutbox,
  storedOutbox,
} from './stored-outbox.ts'
