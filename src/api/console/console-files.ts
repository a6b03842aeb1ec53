// The built console. Only files that were in its folder when the service started can be had: a path is looked up, never
// put together.
import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
  '.txt': 'text/plain; charset=utf-8',
}

export interface ConsoleFile {
  readonly bytes: Buffer<ArrayBuffer>
  readonly type: string
  readonly etag: string
  /** Its name changes with its content. */
  readonly isHashed: boolean
}

export class ConsoleFiles {
  readonly #files: ReadonlyMap<string, string>
  readonly #read = new Map<string, Promise<ConsoleFile>>()

  constructor(folder: string) {
    this.#files = listed(folder)
  }

  /** The file at this path of the address; null when there is none. */
  get(urlPath: string): Promise<ConsoleFile> | null {
    const file = this.#files.get(urlPath)
    if (file === undefined) return null
    const read = this.#read.get(urlPath) ?? readConsoleFile(file, urlPath)
    this.#read.set(urlPath, read)
    read.catch(() => this.#read.delete(urlPath))
    return read
  }
}

function listed(folder: string): ReadonlyMap<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return new Map(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name))
      .map((file) => [`/${path.relative(folder, file).split(path.sep).join('/')}`, file] as const)
      .filter(([urlPath]) => !urlPath.includes('/.')),
  )
}

async function readConsoleFile(file: string, urlPath: string): Promise<ConsoleFile> {
  const bytes = await readFile(file)
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`
  const type = TYPES[path.extname(file).toLowerCase()] ?? 'application/octet-stream'
  return { bytes, type, etag, isHashed: /^\/assets\/.+-[\w-]{8,}\.\w+$/.test(urlPath) }
}
