// The one secret of the service: a file in the data folder that only its owner can read.
import { createHmac, randomBytes } from 'node:crypto'
import { linkSync, lstatSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { registerSecrets } from '../../codex/index.ts'
import { LinkedFileError, readOwnFile } from '../../util/open-own-file.ts'
import { digestOf, isSameText } from './digest.ts'
import { writePrivateFile } from './private-file.ts'

export const TOKEN = /^[\w-]{32,200}$/

export function tokenFile(dataDir: string): string {
  return path.join(dataDir, 'token')
}

/** null when there is none, or it cannot be read as one. Throws when its file is a symbolic link. */
export function readToken(dataDir: string): string | null {
  try {
    const token = readOwnFile(tokenFile(dataDir)).trim()
    return TOKEN.test(token) ? token : null
  } catch (error) {
    if (error instanceof LinkedFileError) throw error
    return null
  }
}

/** Several processes may call this at once: all get the same token. */
export function readOrMakeToken(dataDir: string): string {
  const file = tokenFile(dataDir)
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const draft = `${file}.${randomBytes(6).toString('hex')}.new`
  writeFileSync(draft, `${newToken()}\n`, { mode: 0o600, flag: 'wx' })
  try {
    linkSync(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft, { force: true })
  }
  return readToken(dataDir) ?? rotateToken(dataDir)
}

/** Replaces the file, or a link in its place. From now on only the new token counts, and every browser has to be let in again. A running service notices. */
export function rotateToken(dataDir: string): string {
  const token = newToken()
  writePrivateFile(tokenFile(dataDir), `${token}\n`)
  return token
}

function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** The token as it is in the file now. Without a file nobody is let in. */
export class CurrentToken {
  readonly #dataDir: string
  #seen = ''
  #token: string | null = null

  constructor(dataDir: string) {
    this.#dataDir = dataDir
  }

  matches(given: string): boolean {
    const token = this.#read()
    return token !== null && isSameText(digestOf(given), digestOf(token))
  }

  /** A key for something else, that changes with the token; null without one. */
  keyFor(use: string): Buffer | null {
    const token = this.#read()
    return token === null ? null : createHmac('sha256', token).update(`drawbridge ${use}`).digest()
  }

  /** Its digest; null without one. */
  digest(): string | null {
    const token = this.#read()
    return token === null ? null : digestOf(token)
  }

  /** Which token it is, without telling it. */
  mark(): string {
    return this.keyFor('login mark')?.toString('base64url').slice(0, 16) ?? 'none'
  }

  #read(): string | null {
    const facts = lstatSync(tokenFile(this.#dataDir), { bigint: true, throwIfNoEntry: false })
    const seen = facts ? `${facts.ino} ${facts.size} ${facts.mtimeNs} ${facts.ctimeNs}` : ''
    if (seen !== this.#seen) {
      this.#token = facts?.isFile() ? readToken(this.#dataDir) : null
      // One that has been replaced is hidden too: what is on record may repeat it.
      if (this.#token !== null) registerSecrets([this.#token])
      this.#seen = seen
    }
    return this.#token
  }
}
