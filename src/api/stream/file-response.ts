// A file as an answer: in parts if that was asked for, as fast as it is taken, and nothing that a browser would run or show.
import type { Context } from 'hono'
import { type ApiEnv, credentialOf } from '../api-env.ts'
import type { OfferedFile } from '../api-options.ts'
import type { RouteParts } from '../route-parts.ts'

const SAFE = {
  'content-type': 'application/octet-stream',
  // If a browser opened it all the same: nothing in it acts, and nothing of it is this site.
  'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
  'accept-ranges': 'bytes',
  'cache-control': 'no-store, no-transform',
}

interface Range {
  readonly from: number
  readonly to: number
}

/** Takes care that the file is closed. */
export async function fileResponse(
  c: Context<ApiEnv>,
  file: OfferedFile,
  parts: Pick<RouteParts, 'streams' | 'limits'>,
): Promise<Response> {
  const { bytes } = file
  const etag = `"${file.tag}"`
  const range = rangeOf(c, { bytes, etag })
  const headers = {
    ...SAFE,
    etag,
    'last-modified': new Date(file.modifiedAt).toUTCString(),
    'content-disposition': attachment(file.name),
  }
  if (range === 'none') {
    await file.close()
    return c.body(null, 416, { ...headers, 'content-range': `bytes */${bytes}` })
  }
  const { from, to } = range ?? { from: 0, to: bytes - 1 }
  const more = {
    ...headers,
    'content-length': String(to - from + 1),
    ...(range && { 'content-range': `bytes ${from}-${to}/${bytes}` }),
  }
  const status = range ? 206 : 200
  if (c.req.method === 'GET' && to >= from)
    return c.body(streamOf(c, { file, from, to }, parts), status, more)
  // hono answers HEAD by asking for everything and dropping the body, which nobody would close.
  await file.close()
  return c.body(null, status, more)
}

function streamOf(
  c: Context<ApiEnv>,
  { file, from, to }: Range & { readonly file: OfferedFile },
  { streams, limits }: Pick<RouteParts, 'streams' | 'limits'>,
): ReadableStream<Uint8Array> {
  const chunks = file.read({ from, to })
  let leave = () => {}
  let idle: NodeJS.Timeout | undefined
  const end = async (error?: Error) => {
    clearTimeout(idle)
    leave()
    leave = () => {}
    // A generator that was never begun does not close its file.
    await chunks.return()
    await file.close()
    if (error) c.env?.outgoing?.destroy(error)
  }
  try {
    leave = streams.enter(credentialOf(c), 'stream', (why) => void end(new Error(why)))
  } catch (error) {
    void file.close()
    throw error
  }
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      clearTimeout(idle)
      const { done, value } = await chunks.next().catch(async (error: Error) => {
        // Of an error in the first chunks hono's adapter makes a normal end, and the client waits for the rest.
        await end(error)
        throw error
      })
      if (done) {
        controller.close()
        return end()
      }
      controller.enqueue(value)
      idle = setTimeout(() => void end(new Error('the reader takes nothing')), limits.stalledMs).unref()
    },
    cancel: () => end(),
  })
}

/** null: all of it. `none`: there is nothing in that range. Several at once are answered with all of it. */
function rangeOf(
  c: Context<ApiEnv>,
  { bytes, etag }: { bytes: number; etag: string },
): Range | 'none' | null {
  const asked = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(c.req.header('range')?.trim() ?? '')
  const unchanged = c.req.header('if-range')
  if (!asked || (unchanged !== undefined && unchanged !== etag)) return null
  const [, first, last] = asked
  if (first === '' && last === '') return null
  if (first === '')
    return Number(last) === 0 || bytes === 0
      ? 'none'
      : { from: Math.max(0, bytes - Number(last)), to: bytes - 1 }
  const from = Number(first)
  const to = last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1)
  if (last !== '' && Number(last) < from) return null
  return from >= bytes ? 'none' : { from, to }
}

/** RFC 6266: for programs that know only ASCII, and for the others. */
function attachment(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}
