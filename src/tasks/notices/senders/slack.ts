import { z } from 'zod'
import type { OutgoingNotice } from '../../model/index.ts'
import { answerAs, compose, type HttpSender, jsonRequest } from './http-sender.ts'
import { failed, judgeStatus, OK } from './send-result.ts'

/** Slack takes 40,000 and advises 4,000. */
const LIMIT = 4_000

/** No markup: what codex wrote is shown as it is, and mentions nobody. */
function message(notice: OutgoingNotice) {
  const text = compose(notice, { limit: LIMIT, escapeText: escapeControls })
  return { text, mrkdwn: false, unfurl_links: false, unfurl_media: false }
}

function escapeControls(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** An incoming webhook. Refusals are a word in plain text: `invalid_token`, `channel_is_archived`. */
export const slack: HttpSender<'slack'> = {
  request: ({ url }, notice) => jsonRequest(url, message(notice)),
  judge: (answer, now) => judgeStatus(answer, now),
}

const Answer = z.object({ ok: z.boolean(), error: z.string().optional() })
const PASSING = new Set([
  'ratelimited',
  'rate_limited',
  'message_limit_exceeded',
  'internal_error',
  'fatal_error',
  'service_unavailable',
  'request_timeout',
])

/** A bot with `chat:write`. Slack refuses with HTTP 200 and `ok: false`. */
export const slackBot: HttpSender<'slack-bot'> = {
  request({ token, channel }, notice, { settings }) {
    const body = { channel, ...message(notice) }
    return jsonRequest(`${settings.slackApiUrl}/chat.postMessage`, body, { Authorization: `Bearer ${token}` })
  },
  judge(answer, now) {
    const byStatus = judgeStatus(answer, now)
    if (!byStatus.ok) return byStatus
    const said = answerAs(answer, Answer)
    if (said?.ok) return OK
    return failed(`Slack: ${said?.error ?? 'an answer that is not its own'}`, {
      permanent: said?.error !== undefined && !PASSING.has(said.error),
    })
  },
}
