import { canDecode } from '../../targets/index.ts'
import { hostOf } from '../address-guard.ts'

export interface SmtpSettings {
  /** `smtps://user:password@host`, or `smtp://` for STARTTLS, which is required unless the host is allowed private. */
  readonly url: string
  /** `drawbridge@example.org`. */
  readonly from: string
}

export interface SmtpServer {
  readonly host: string
  readonly port: number
  /** Encrypted from the first byte. */
  readonly isSecure: boolean
  readonly auth: { readonly user: string; readonly pass: string } | null
}

export function smtpServer({ url: text }: SmtpSettings): SmtpServer | { readonly error: string } {
  const url = URL.parse(text)
  if (!url?.hostname || !/^smtps?:$/.test(url.protocol) || !canDecode(`${url.username}${url.password}`)) {
    return { error: 'the SMTP server in the settings is not a url like smtps://user:password@host' }
  }
  const isSecure = url.protocol === 'smtps:'
  const user = decodeURIComponent(url.username)
  return {
    host: hostOf(url),
    port: Number(url.port) || (isSecure ? 465 : 587),
    isSecure,
    auth: user === '' ? null : { user, pass: decodeURIComponent(url.password) },
  }
}

/** Where mail is handed in, without credentials. */
export function showSmtp(settings: SmtpSettings): string {
  const server = smtpServer(settings)
  if ('error' in server) return 'smtp:?'
  return `${server.isSecure ? 'smtps' : 'smtp'}://${server.host}:${server.port}`
}
