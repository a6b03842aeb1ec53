// Reads `multipart/form-data` (RFC 7578) as it arrives. Nothing but the bytes of one chunk is kept in memory.

export interface Part {
  /** The name of the form's field. */
  readonly field: string | null
  /** null: not a file. As it was sent: it can be anything. */
  readonly filename: string | null
  /** Must be read, or left, before the next part. */
  readonly body: AsyncIterable<Uint8Array>
}

/** `incomplete`: the sender stopped in the middle. `malformed`: it is not multipart, or not with this boundary. */
export class MultipartError extends Error {
  readonly code: 'incomplete' | 'malformed'

  constructor(code: 'incomplete' | 'malformed', message: string) {
    super(message)
    this.name = 'MultipartError'
    this.code = code
  }
}

const MAX_HEADER_BYTES = 16 * 1024
const LINE_END = Buffer.from('\r\n')
const HEADERS_END = Buffer.from('\r\n\r\n')

/** Of a `content-type` header; null: it has none that RFC 2046 allows. */
export function boundaryOf(contentType: string): string | null {
  const [, quoted, bare] = /;\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i.exec(contentType) ?? []
  const boundary = quoted ?? bare
  return boundary !== undefined && /^[\x20-\x7e]{1,70}$/.test(boundary) ? boundary : null
}

export async function* readMultipart(
  chunks: AsyncIterable<Uint8Array>,
  boundary: string,
): AsyncGenerator<Part, void> {
  const delimiter = Buffer.from(`\r\n--${boundary}`)
  const source = new Source(chunks)
  try {
    await skip(source.until(delimiter))
    while (!(await source.takesEnd())) {
      const part = partOf(await source.headers())
      const body = source.until(delimiter)
      yield { ...part, body }
      // What was not read of it.
      await skip(body)
    }
  } finally {
    await source.close()
  }
}

class Source {
  readonly #chunks: AsyncIterator<Uint8Array>
  /** The first boundary has no line before it. */
  #held: Buffer = LINE_END

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]()
  }

  /** The bytes before the delimiter, which is taken too. */
  async *until(delimiter: Buffer): AsyncGenerator<Uint8Array, void> {
    for (;;) {
      const at = this.#held.indexOf(delimiter)
      const end = at === -1 ? Math.max(0, this.#held.length - delimiter.length + 1) : at
      const found = this.#held.subarray(0, end)
      this.#held = this.#held.subarray(at === -1 ? end : at + delimiter.length)
      if (found.length > 0) yield found
      if (at !== -1) return
      await this.#more()
    }
  }

  /** After a delimiter: whether it was the last one. */
  async takesEnd(): Promise<boolean> {
    while (this.#held.length < 2) await this.#more()
    if (this.#held.subarray(0, 2).toString('latin1') === '--') return true
    // Spaces and tabs may stand before the end of the line.
    await this.#holdUntil(LINE_END)
    const at = this.#held.indexOf(LINE_END)
    if (this.#held.subarray(0, at).toString('latin1').trim() !== '')
      throw new MultipartError('malformed', 'the line of a boundary goes on after it')
    this.#held = this.#held.subarray(at)
    return false
  }

  async headers(): Promise<string> {
    await this.#holdUntil(HEADERS_END)
    const at = this.#held.indexOf(HEADERS_END)
    const text = this.#held.subarray(0, at).toString('utf8')
    this.#held = this.#held.subarray(at + HEADERS_END.length)
    return text
  }

  async close(): Promise<void> {
    await this.#chunks.return?.()
  }

  async #holdUntil(mark: Buffer): Promise<void> {
    while (this.#held.indexOf(mark) === -1) {
      if (this.#held.length > MAX_HEADER_BYTES)
        throw new MultipartError(
          'malformed',
          `the headers of a part have more than ${MAX_HEADER_BYTES} bytes`,
        )
      await this.#more()
    }
  }

  async #more(): Promise<void> {
    const { done, value } = await this.#chunks.next()
    if (done) throw new MultipartError('incomplete', 'the form ends before its last boundary')
    const chunk = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
  }
}

async function skip(body: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of body);
}

function partOf(headers: string): Omit<Part, 'body'> {
  const line = headers.split('\r\n').find((each) => /^content-disposition:/i.test(each)) ?? ''
  if (!/^content-disposition:\s*form-data\s*(?:;|$)/i.test(line))
    throw new MultipartError('malformed', 'a part has no content-disposition: form-data')
  return { field: parameter(line, 'name'), filename: extended(line) ?? parameter(line, 'filename') }
}

/** Browsers write a quote and line ends in percents, others escape with a backslash. */
function parameter(line: string, name: string): string | null {
  const found = new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s;"]+))`, 'i').exec(line)
  if (!found) return null
  const [, quoted, bare] = found
  const escapes: Readonly<Record<string, string>> = { '%22': '"', '%0D': '\r', '%0A': '\n' }
  return (quoted?.replace(/\\(["\\])/g, '$1') ?? bare!).replace(
    /%22|%0D|%0A/gi,
    (each) => escapes[each.toUpperCase()]!,
  )
}

/** `filename*=UTF-8''…`; not for forms, and sent all the same. */
function extended(line: string): string | null {
  const [, value] = /;\s*filename\*=utf-8'[^']*'([^\s;]+)/i.exec(line) ?? []
  if (value === undefined) return null
  try {
    return decodeURIComponent(value)
  } catch {
    return null
  }
}
