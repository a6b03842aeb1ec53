// What a model provider said, without how it was packed: codex hands on HTTP answers as they came.

/** `unexpected status 401 Unauthorized: <body>, url: <url>, cf-ray: …`: codex's words for an HTTP answer it cannot use. */
const STATUS_LINE =
  /^unexpected status (\d{3}(?: [A-Za-z' -]+)?): (.*?)(?:, url: (\S+?))?(?:, [a-z -]+: \S+)*$/s

/** The provider's own sentence, with the status and the host it came from; other text as it is. */
export function spokenText(message: string): string {
  const [, status, body, url] = STATUS_LINE.exec(message) ?? []
  if (status === undefined || body === undefined) return saidIn(message) ?? message
  const said = (saidIn(body) ?? body).trim()
  const from = url !== undefined && URL.canParse(url) ? `${status} from ${new URL(url).host}` : status
  return said === '' ? `the model provider answered ${from}` : `${said} (${from})`
}

/** Of a JSON body, what it says; null when it is none, or says nothing. */
function saidIn(text: string): string | null {
  if (!text.trimStart().startsWith('{')) return null
  try {
    const body = JSON.parse(text) as { error?: unknown; message?: unknown; detail?: unknown }
    const { message: inner } = Object(body.error) as { message?: unknown }
    const said = [inner, body.error, body.message, body.detail].find((part) => typeof part === 'string')
    return (said as string | undefined) || null
  } catch {
    return null
  }
}
