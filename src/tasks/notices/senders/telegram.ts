import { z } from 'zod'
import { answerAs, compose, type HttpSender, jsonRequest } from './http-sender.ts'
import { failed, judgeStatus, OK } from './send-result.ts'

const LIMIT = 4_096

const Answer = z.object({
  ok: z.boolean(),
  description: z.string().optional(),
  parameters: z
    .object({ retry_after: z.number().optional(), migrate_to_chat_id: z.number().optional() })
    .optional(),
})

/** Plain text: with a parse mode, one wrong character in what codex wrote would have the message refused. */
export const telegram: HttpSender<'telegram'> = {
  request({ token, chat }, notice, { settings }) {
    const text = compose(notice, { limit: LIMIT })
    const body = { chat_id: chat, text, link_preview_options: { is_disabled: true } }
    return jsonRequest(`${settings.telegramUrl}/bot${token}/sendMessage`, body)
  },
  judge(answer, now) {
    const said = answerAs(answer, Answer)
    if (said?.ok && answer.status < 300) return OK
    const byStatus = judgeStatus(answer, now, said?.description)
    if (byStatus.ok) return failed('Telegram: an answer that is not its own')
    const { retry_after: seconds, migrate_to_chat_id: newChat } = said?.parameters ?? {}
    const error =
      newChat === undefined ? byStatus.error : `${byStatus.error}; the chat's id is now ${newChat}`
    return {
      ...byStatus,
      error,
      retryAfterMs: seconds === undefined ? byStatus.retryAfterMs : seconds * 1000,
    }
  },
}
