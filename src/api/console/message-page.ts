import { createHash } from 'node:crypto'
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { ApiEnv } from '../api-env.ts'

const STYLE = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
body{max-width:34rem;margin:12vh auto;padding:0 1.5rem}h1{font-size:1.3rem}
code{font:14px ui-monospace,monospace;padding:.2em .4em;border-radius:4px;background:#8882}`
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')
const POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

interface PageMessage {
  readonly title: string
  readonly text: string
  readonly command: string
}

/** A page without anything but words. They are ours: nothing of the request is in them. */
export function messagePage(
  c: Context<ApiEnv>,
  status: ContentfulStatusCode,
  { title, text, command }: PageMessage,
): Response {
  const html = `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Drawbridge</title><style>${STYLE}</style>
<h1>${title}</h1><p>${text}</p><p><code>${command}</code></p></html>
`
  return c.body(html, status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': POLICY,
  })
}
