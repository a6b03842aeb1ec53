import { createHmac } from 'node:crypto'
import { z } from 'zod'
import { answerAs, compose, type HttpSender, jsonRequest } from './http-sender.ts'
import { failed, judgeStatus, OK } from './send-result.ts'

/** Feishu counts bytes, 20 KB for the whole request; three for each Chinese character. */
const LIMIT = 4_000

const Answer = z.object({
  code: z.number().optional(),
  msg: z.string().optional(),
  /** As older bots answer. */
  StatusCode: z.number().optional(),
  StatusMessage: z.string().optional(),
})
/** Too many for this bot, too many for the gateway (which also says so of a request it cannot read), and inner trouble. */
const PASSING = new Set([11232, 9499, 2200, 230020])

export const feishu: HttpSender<'feishu'> = {
  request({ url, secret }, notice, { now }) {
    const text = compose(notice, { limit: LIMIT, escapeText: withoutMentions })
    const timestamp = String(Math.floor(now / 1000))
    const signed = secret === null ? {} : { timestamp, sign: sign(timestamp, secret) }
    return jsonRequest(url, { ...signed, msg_type: 'text', content: { text } })
  },
  judge(answer, now) {
    const said = answerAs(answer, Answer)
    const code = said?.code ?? said?.StatusCode
    if (code === 0 && answer.status < 300) return OK
    const message = said?.msg ?? said?.StatusMessage
    const byStatus = judgeStatus(answer, now, message)
    if (code === undefined || code === 0) {
      return byStatus.ok ? failed('Feishu: an answer that is not its own') : byStatus
    }
    return failed(`Feishu ${code}: ${message ?? ''}`, {
      permanent: !PASSING.has(code) && (byStatus.ok || byStatus.permanent),
      retryAfterMs: byStatus.ok ? null : byStatus.retryAfterMs,
    })
  },
}

/** The text is the key and the message is empty: so Feishu wants it. */
function sign(timestamp: string, secret: string): string {
  return createHmac('sha256', `${timestamp}\n${secret}`).update('').digest('base64')
}

/** `<at user_id="all">` in a text calls everyone. */
function withoutMentions(text: string): string {
  return text.replace(/<(?=\/?at\b)/gi, '<\u200b')
}
