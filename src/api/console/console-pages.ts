import type { Context, NotFoundHandler } from 'hono'
import type { ApiEnv } from '../api-env.ts'
import { PAGE_POLICY } from '../door/security-headers.ts'
import { DoorError } from '../door-error.ts'
import { errorResponse } from '../error-response.ts'
import { type ConsoleFile, ConsoleFiles } from './console-files.ts'
import { messagePage } from './message-page.ts'

const API_PATH = /^\/(?:v1|healthz|metrics|openapi\.json|login)(?:\/|$)/

/** What is not the API: files of the console, and its page for all other paths. */
export function consolePages(
  consoleDir: string | null,
  onError: (error: unknown, requestId: string) => void,
): NotFoundHandler<ApiEnv> {
  const files = consoleDir === null ? null : new ConsoleFiles(consoleDir)
  return async (c) => {
    const { method, path } = c.req
    const isAsked = (method === 'GET' || method === 'HEAD') && !API_PATH.test(path)
    if (isAsked && files === null && path === '/') return notBuilt(c)
    const file = isAsked && files !== null ? await fileAt(files, path) : null
    return file === null
      ? errorResponse(new DoorError('not-found', 'there is nothing here'), c, onError)
      : sent(c, file)
  }
}

/** A missing asset is missing; anything else is a place inside the console. */
async function fileAt(files: ConsoleFiles, urlPath: string): Promise<ConsoleFile | null> {
  const isPage = !urlPath.startsWith('/assets/') && !/\.[a-z0-9]{1,8}$/i.test(urlPath)
  return files.get(urlPath) ?? (isPage ? files.get('/index.html') : null)
}

function sent(c: Context<ApiEnv>, { bytes, type, etag, isHashed }: ConsoleFile): Response {
  const headers = {
    etag,
    'content-type': type,
    'cache-control': isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    'content-security-policy': PAGE_POLICY,
  }
  const known = c.req.header('if-none-match')?.split(/ *, */) ?? []
  if (known.includes(etag) || known.includes(`W/${etag}`)) return c.body(null, 304, headers)
  return c.body(bytes, 200, headers)
}

function notBuilt(c: Context<ApiEnv>): Response {
  return messagePage(c, 200, {
    title: 'Drawbridge is running',
    text: 'It runs OpenAI Codex for you and keeps the gate. The console is not part of this build; until it is, use the command line, or the HTTP API at /v1.',
    command: 'drawbridge task list',
  })
}
