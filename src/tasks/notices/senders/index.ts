// One file for each provider: what it is sent, and how it says yes, no and later.
export { mailOf, sendMail } from './email.ts'
export type { HttpSender, ProviderSettings } from './http-sender.ts'
export { HTTP_SENDERS, type HttpKind } from './http-senders.ts'
export { failed, noAnswer, OK, type SendResult, withoutSecrets } from './send-result.ts'
export { type SmtpSettings, showSmtp } from './smtp-server.ts'
