import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { createRedactor } from '../../../codex/index.ts'
import { plainText } from '../../../util/screen-text.ts'
import type { OutgoingNotice } from '../../model/index.ts'
import type { AddressGuard, CheckedHost } from '../address-guard.ts'
import { abortable } from '../http-post.ts'
import { pinnedLookup } from '../pinned-lookup.ts'
import { failed, noAnswer, OK, type SendResult } from './send-result.ts'
import { type SmtpServer, type SmtpSettings, smtpServer } from './smtp-server.ts'

export interface Mail {
  readonly from: string
  readonly to: string
  readonly subject: string
  /** Made of the notice's id: a second one of the same is recognised by it. */
  readonly messageId: string
  /** Of the task: mail programs show its notices together. */
  readonly references: string
  readonly text: string
}

export function mailOf(address: string, notice: OutgoingNotice, { from }: SmtpSettings): Mail {
  const domain = from.slice(from.lastIndexOf('@') + 1).replace(/[^\w.-]/g, '') || 'localhost'
  return {
    from,
    to: address,
    subject: plainText(notice.title).replace(/\s+/g, ' ').trim(),
    messageId: `<${idPart(notice.id)}@${domain}>`,
    references: `<task-${idPart(notice.taskId)}@${domain}>`,
    text: notice.text,
  }
}

function idPart(id: string): string {
  return id.replace(/[^\w.-]/g, '')
}

export async function sendMail(
  mail: Mail,
  { smtp, guard, signal }: { smtp: SmtpSettings; guard: AddressGuard; signal: AbortSignal },
): Promise<SendResult> {
  const server = smtpServer(smtp)
  if ('error' in server) return failed(server.error, { permanent: true })
  let socket: Socket | null = null
  try {
    const checked = await abortable(guard.checkHost(server.host), signal)
    socket = connect({
      host: server.host,
      port: server.port,
      lookup: pinnedLookup(checked.addresses),
      signal,
    })
    await once(socket, 'connect', { signal })
    const transport = await transportOver(socket, server, checked)
    await transport.sendMail({
      ...mail,
      from: { name: 'Drawbridge', address: mail.from },
      to: { name: '', address: mail.to },
      headers: { 'Auto-Submitted': 'auto-generated' },
    })
    return OK
  } catch (error) {
    return signal.aborted ? noAnswer(signal.reason, server.host) : judge(error, server)
  } finally {
    socket?.destroy()
  }
}

async function transportOver(socket: Socket, server: SmtpServer, { isAllowedPrivate }: CheckedHost) {
  // Large, and most services never send mail.
  const { createTransport } = await import('nodemailer')
  const { host, port, isSecure, auth } = server
  return createTransport({
    host,
    port,
    secure: isSecure,
    connection: socket,
    requireTLS: !isSecure && !isAllowedPrivate,
    // Where plain text would do, a certificate that nobody signed is better than none.
    tls: { rejectUnauthorized: isSecure || !isAllowedPrivate },
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(auth ? { auth } : {}),
  })
}

/** The server's own code decides: 4xx is for now, 5xx for good, a refused login included. */
function judge(error: unknown, { host, auth }: SmtpServer): SendResult {
  const { responseCode, response } = error as { responseCode?: number; response?: string }
  if (typeof responseCode !== 'number') return noAnswer(error, host)
  const { redact } = createRedactor({ secrets: auth ? [auth.pass] : [] })
  return failed(`SMTP ${redact(response ?? String(responseCode))}`, { permanent: responseCode >= 500 })
}
