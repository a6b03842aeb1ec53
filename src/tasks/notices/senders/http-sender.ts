import { z } from 'zod'
import type { OutgoingNotice } from '../../model/index.ts'
import type { TargetKind, TargetOf } from '../../targets/index.ts'
import type { HttpAnswer, HttpRequest } from '../http-post.ts'
import { shorten } from '../notice-text.ts'
import type { SendResult } from './send-result.ts'

/** What all targets of a kind share. */
export interface ProviderSettings {
  /** Signs webhooks; null sends them unsigned. */
  readonly webhookSecret: string | null
  /** `https://api.telegram.org`, or a Bot API server of one's own. */
  readonly telegramUrl: string
  /** `https://slack.com/api`. */
  readonly slackApiUrl: string
}

/** How one provider is spoken to over HTTP. Pure: what is sent can be shown without sending it. */
export interface HttpSender<Kind extends TargetKind> {
  request(
    target: TargetOf<Kind>,
    notice: OutgoingNotice,
    options: { readonly settings: ProviderSettings; readonly now: number },
  ): HttpRequest
  /** Every provider has its own way to say no. */
  judge(answer: HttpAnswer, now: number): SendResult
}

export function jsonRequest(
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): HttpRequest {
  return {
    url,
    headers: { 'Content-Type': 'application/json; charset=utf-8', 'User-Agent': 'Drawbridge', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  }
}

/** The answer as what we expect of it, or null. */
export function answerAs<Shape extends z.ZodType>(
  { text }: HttpAnswer,
  shape: Shape,
): z.output<Shape> | null {
  try {
    return shape.safeParse(JSON.parse(text)).data ?? null
  } catch {
    return null
  }
}

const LINKS = z.object({
  links: z.object({ task: z.string().nullable(), approval: z.string().nullable() }),
})

/** A notice for people, its link apart: text may be cut and escaped, a link may not. */
function partsOf({ title, text, payload }: OutgoingNotice): {
  title: string
  text: string
  link: string
} {
  const links = LINKS.safeParse(JSON.parse(payload)).data?.links
  const link = links?.approval ?? links?.task ?? ''
  return {
    title,
    text: text.endsWith(link) ? text.slice(0, text.length - link.length).trimEnd() : text,
    link,
  }
}

/** Title, text and link in one, the text cut so that all of it fits. */
export function compose(
  notice: OutgoingNotice,
  {
    limit,
    escapeText = (text) => text,
  }: { readonly limit: number; readonly escapeText?: (text: string) => string },
): string {
  const { title, text, link } = partsOf(notice)
  const whole = (body: string) =>
    [escapeText(title), escapeText(body), link].filter((part) => part !== '').join('\n\n')
  let kept = text
  while (kept.length > 1 && whole(kept).length > limit) {
    kept = shorten(kept, kept.length - Math.ceil((whole(kept).length - limit) / 2))
  }
  return whole(kept)
}
