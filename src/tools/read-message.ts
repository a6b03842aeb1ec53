// What comes over HTTP, checked: only clients on this machine, only JSON of a bearable size.
import type { IncomingMessage } from 'node:http'
import { whyTooMuch } from '../util/json-bounds.ts'
import type { McpMessage } from './mcp-requests.ts'

const MAX_BYTES = 4 * 1024 * 1024
const MAX_DRAINED_BYTES = 64 * 1024 * 1024
const BOUNDS = { depth: 100, characters: MAX_BYTES }

export class BadRequestError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

interface RefusedRequest {
  readonly status: number
  readonly message: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Before anything is read of it. A page in a browser always names its origin, or comes under another name. */
export function refusalOf({ method, url, headers }: IncomingMessage, port: number): RefusedRequest | null {
  if (headers.host !== `127.0.0.1:${port}` || headers.origin !== undefined)
    return { status: 403, message: 'only programs on this machine may call this' }
  if (url !== '/mcp') return { status: 404, message: 'there is nothing here' }
  if (method !== 'POST') return { status: 405, message: 'use POST', headers: { allow: 'POST' } }
  return null
}

export async function readMessage(request: IncomingMessage): Promise<McpMessage> {
  const message = parsed((await bodyOf(request)).toString())
  if (typeof message !== 'object' || message === null || Array.isArray(message))
    throw new BadRequestError(400, 'send one JSON-RPC message')
  const problem = whyTooMuch(message, BOUNDS)
  if (problem !== null) throw new BadRequestError(400, `the message ${problem}`)
  return message
}

/** Reads to the end what is too long, and keeps none of it: a caller that is still sending would not hear the answer. */
function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  return new Promise((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= MAX_BYTES) chunks.push(chunk)
      else chunks.length = 0
      if (size > MAX_DRAINED_BYTES) request.destroy()
    })
    request.on('end', () => {
      if (size <= MAX_BYTES) resolve(Buffer.concat(chunks))
      else reject(new BadRequestError(413, `a message has at most ${MAX_BYTES} bytes`))
    })
    request.on('close', () => reject(new BadRequestError(400, 'the message ended too early')))
    request.on('error', reject)
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new BadRequestError(400, 'that is not JSON')
  }
}
