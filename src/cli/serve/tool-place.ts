// Where the service's tools are called, kept over restarts: codex outlives the service, and goes on calling there.
import { randomBytes } from 'node:crypto'
import { existsSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { hasCode } from '../../codex/index.ts'
import { openToolServer, type ToolServer } from '../../tools/index.ts'
import { readOwnFile } from '../../util/open-own-file.ts'

interface Place {
  readonly port: number
  readonly secret: string
}

/** Whether tools have been given to tasks of this data folder before. */
export function hasToolPlace(dataDir: string): boolean {
  return existsSync(fileIn(dataDir))
}

/** At the same place as before. Where that is taken, at another, and nothing that knew the old one is let in. */
export async function openToolPlace(dataDir: string, tell: (line: string) => void): Promise<ToolServer> {
  const known = read(dataDir)
  if (known) {
    try {
      return await openToolServer(known)
    } catch (error) {
      if (!isTaken(error)) throw error
      tell(`port ${known.port} is taken: tasks at work cannot call their tools until their next start`)
    }
  }
  const secret = randomBytes(32).toString('base64url')
  const server = await openToolServer({ secret })
  write(dataDir, { port: server.port, secret })
  return server
}

function fileIn(dataDir: string): string {
  return path.join(dataDir, 'tools.json')
}

function read(dataDir: string): Place | null {
  if (!hasToolPlace(dataDir)) return null
  try {
    const { port, secret } = JSON.parse(readOwnFile(fileIn(dataDir))) as Partial<Place>
    const isWhole = Number.isInteger(port) && typeof secret === 'string' && secret.length >= 32
    return isWhole ? { port: port!, secret: secret! } : null
  } catch (error) {
    if (hasCode(error, 'linked-file')) throw error
    return null
  }
}

function write(dataDir: string, place: Place): void {
  const draft = `${fileIn(dataDir)}.${randomBytes(6).toString('hex')}.new`
  writeFileSync(draft, JSON.stringify(place), { mode: 0o600, flag: 'wx' })
  renameSync(draft, fileIn(dataDir))
}

function isTaken(error: unknown): boolean {
  return ['EADDRINUSE', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')
}
