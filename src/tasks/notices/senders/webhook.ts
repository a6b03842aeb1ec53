import { SIGNATURE_HEADER, signBody } from '../signature.ts'
import { type HttpSender, jsonRequest } from './http-sender.ts'
import { judgeStatus } from './send-result.ts'

export const webhook: HttpSender<'webhook'> = {
  request({ url: text }, { id, payload }, { settings, now }) {
    const url = new URL(text)
    const { username, password } = url
    url.username = ''
    url.password = ''
    url.hash = ''
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
    return jsonRequest(url.href, payload, {
      'Idempotency-Key': id,
      ...(settings.webhookSecret
        ? { [SIGNATURE_HEADER]: signBody(payload, settings.webhookSecret, { now }) }
        : {}),
      ...(username || password
        ? { Authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }
        : {}),
    })
  },
  judge: (answer, now) => judgeStatus(answer, now),
}
