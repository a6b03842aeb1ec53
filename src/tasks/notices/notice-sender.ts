// Sends one notice to its target, once, and says how that went. When to try again is the worker's business.
import { createRedactor, registerSecrets } from '../../codex/index.ts'
import type { NoticeReach } from '../../store/index.ts'
import type { OutgoingNotice } from '../model/index.ts'
import {
  type NamedTargets,
  resolveTarget,
  secretsToRegister,
  showTarget,
  showTargetText,
  showUrl,
  type Target,
  type TargetOf,
} from '../targets/index.ts'
import { AddressGuard, AddressRefusedError, type Resolve } from './address-guard.ts'
import type { AllowPrivate } from './address-ranges.ts'
import { type HttpRequest, post } from './http-post.ts'
import {
  failed,
  HTTP_SENDERS,
  type HttpKind,
  type HttpSender,
  mailOf,
  noAnswer,
  OK,
  type ProviderSettings,
  type SendResult,
  type SmtpSettings,
  sendMail,
  showSmtp,
  withoutSecrets,
} from './senders/index.ts'

export interface NoticeSettings extends ProviderSettings {
  /** So that a task can say `team` and need not know the secret. */
  readonly named: NamedTargets
  /** null: no mail is sent. */
  readonly smtp: SmtpSettings | null
  readonly allowPrivate: AllowPrivate
  /** For an answer over HTTP; mail may take three times as long. */
  readonly timeoutMs: number
  /** Tells whoever sits at this machine. */
  readonly local: (notice: OutgoingNotice) => void | Promise<void>
  readonly resolve?: Resolve | undefined
  readonly now: () => number
}

/** Exactly what would be sent, its secrets taken out. */
export interface Draft {
  readonly target: string
  readonly method: 'POST' | 'SMTP' | 'local'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Which targets a sender has the settings for. */
export type SenderReach = Pick<NoticeReach, 'names' | 'exceptKinds'>

export class NoticeSender {
  readonly #settings: NoticeSettings
  readonly #guard: AddressGuard
  readonly #hidden = new Set<string>()

  /** Throws when `allowPrivate` cannot be read. */
  constructor(settings: NoticeSettings) {
    this.#settings = settings
    this.#guard = new AddressGuard(settings)
  }

  /** What is wrong with a target, before anything is sent to it; null when nothing is. DNS is not asked. */
  problemWith(text: string): string | null {
    const target = resolveTarget(text, this.#settings.named)
    if ('error' in target) return target.error
    if (target.kind === 'email' && !this.#settings.smtp) return NO_SMTP
    try {
      if ('url' in target) this.#guard.checkUrl(target.url)
      return null
    } catch (error) {
      if (error instanceof AddressRefusedError) return error.message
      throw error
    }
  }

  /** What else another worker may be able to send: names it has in its settings, and mail. */
  get reach(): SenderReach {
    const { named, smtp } = this.#settings
    const canSend = (name: string) => {
      const target = resolveTarget(name, named)
      return !('error' in target) && (target.kind !== 'email' || smtp !== null)
    }
    return { names: Object.keys(named).filter(canSend), exceptKinds: smtp ? [] : ['email'] }
  }

  /** From now on the secrets of these targets are hidden in every text. */
  hideSecretsOf(targets: readonly string[]): void {
    for (const text of targets) {
      if (this.#hidden.has(text)) continue
      this.#hidden.add(text)
      const target = resolveTarget(text, this.#settings.named)
      if (!('error' in target)) registerSecrets(secretsToRegister(target))
    }
  }

  /** Never rejects. */
  async send(notice: OutgoingNotice, { signal }: { readonly signal: AbortSignal }): Promise<SendResult> {
    const target = resolveTarget(notice.target, this.#settings.named)
    if ('error' in target) return failed(target.error, { permanent: true })
    try {
      return withoutSecrets(await this.#sendTo(target, notice, signal), target)
    } catch (error) {
      return withoutSecrets(noAnswer(error, showTarget(target)), target)
    }
  }

  /** Sends nothing. The error is what `send` would fail with at once. */
  draft(notice: OutgoingNotice): Draft | { readonly error: string } {
    const target = resolveTarget(notice.target, this.#settings.named)
    if ('error' in target) return target
    const shown = showTarget(target)
    if (target.kind === 'local') {
      return {
        target: shown,
        method: 'local',
        url: '',
        headers: {},
        body: `${notice.title}\n\n${notice.text}`,
      }
    }
    if (target.kind !== 'email') return httpDraft(shown, this.#request(target, notice))
    const { smtp } = this.#settings
    if (!smtp) return { error: NO_SMTP }
    const { from, to, subject, messageId, references, text } = mailOf(target.address, notice, smtp)
    const headers = { From: from, To: to, Subject: subject, 'Message-ID': messageId, References: references }
    return { target: shown, method: 'SMTP', url: showSmtp(smtp), headers, body: text }
  }

  /** Where notices for this target go, as far as that can be told apart. */
  machine(text: string): string {
    const target = resolveTarget(text, this.#settings.named)
    if ('error' in target) return showTargetText(text)
    if ('url' in target) return new URL(target.url).host
    return target.kind
  }

  async #sendTo(target: Target, notice: OutgoingNotice, signal: AbortSignal): Promise<SendResult> {
    const { smtp, timeoutMs, local, now } = this.#settings
    if (target.kind === 'local') {
      await local(notice)
      return OK
    }
    const within = (ms: number) => AbortSignal.any([signal, AbortSignal.timeout(ms)])
    if (target.kind === 'email') {
      if (!smtp) return failed(NO_SMTP, { permanent: true })
      const mail = mailOf(target.address, notice, smtp)
      return sendMail(mail, { smtp, guard: this.#guard, signal: within(3 * timeoutMs) })
    }
    const request = this.#request(target, notice)
    try {
      const answer = await post(request, { guard: this.#guard, signal: within(timeoutMs) })
      return HTTP_SENDERS[target.kind].judge(answer, now())
    } catch (error) {
      return noAnswer(error, new URL(request.url).hostname)
    }
  }

  #request(target: TargetOf<HttpKind>, notice: OutgoingNotice): HttpRequest {
    const sender = HTTP_SENDERS[target.kind] as HttpSender<HttpKind>
    return sender.request(target, notice, { settings: this.#settings, now: this.#settings.now() })
  }
}

const NO_SMTP = 'there is no SMTP server in the settings, so no mail can be sent'

function httpDraft(target: string, { url, headers, body }: HttpRequest): Draft {
  const { redact } = createRedactor()
  const shown = Object.entries(headers).map(([name, value]): [string, string] => [
    name,
    redact(`${name}: ${value}`).slice(name.length + 2),
  ])
  return { target, method: 'POST', url: showUrl(url), headers: Object.fromEntries(shown), body }
}
