import { z } from 'zod'
import { answerAs, compose, type HttpSender, jsonRequest } from './http-sender.ts'
import { judgeStatus } from './send-result.ts'

const LIMIT = 2_000
const SUPPRESS_EMBEDS = 1 << 2

const Answer = z.object({ message: z.string().optional(), retry_after: z.number().optional() })

export const discord: HttpSender<'discord'> = {
  request({ url: text }, notice) {
    const url = new URL(text)
    // Otherwise Discord says yes before it has looked whether the message can be kept.
    url.searchParams.set('wait', 'true')
    return jsonRequest(url.href, {
      content: compose(notice, { limit: LIMIT, escapeText: escapeMarkdown }),
      allowed_mentions: { parse: [] },
      flags: SUPPRESS_EMBEDS,
    })
  },
  judge(answer, now) {
    const said = answerAs(answer, Answer)
    const byStatus = judgeStatus(answer, now, said?.message)
    if (byStatus.ok || said?.retry_after === undefined) return byStatus
    return { ...byStatus, retryAfterMs: Math.ceil(said.retry_after * 1000) }
  },
}

/** Shown as it was written, and no link whose text is not its address. Urls stay whole. */
function escapeMarkdown(text: string): string {
  return text.replace(/https?:\/\/[^\s<>()[\]|*`]+|[\\*_~`|[\]()<>@]|^\s*[#-]/gm, (found) =>
    found.startsWith('http') ? found : found.replace(/\S/, '\\$&'),
  )
}
