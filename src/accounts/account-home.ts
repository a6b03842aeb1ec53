// The private codex home of one account: planted from the store for its holder, cleared of the login when that is over.
// The threads of its tasks stay in it.
import { closeSync, constants, fsyncSync, readdirSync, renameSync, rmSync, writeSync } from 'node:fs'
import path from 'node:path'
import { makeFolder } from '../util/make-folder.ts'
import { openOwnFile, readOwnFile } from '../util/open-own-file.ts'
import type { StoredLogin } from './seal-login.ts'

/** A login in a keyring could neither be planted nor saved back. */
const IN_FILE = 'cli_auth_credentials_store = "file"\n'
const STORE_KEY = /^[ \t]*cli_auth_credentials_store[ \t]*=.*$/gm

export class AccountHome {
  readonly folder: string
  /** What codex is given as CODEX_HOME. */
  readonly path: string
  readonly authFile: string
  readonly #plantedFile: string

  constructor(accountsDir: string, id: string) {
    this.folder = path.join(accountsDir, id)
    this.path = path.join(this.folder, 'home')
    this.authFile = path.join(this.path, 'auth.json')
    this.#plantedFile = path.join(this.folder, 'planted.json')
  }

  /** No codex may run in it. The generation is written first: with a login there is always the lease it is under. */
  plant({ auth, config }: StoredLogin, { generation }: { readonly generation: number }): void {
    makeFolder(this.path)
    this.clear()
    write(this.#plantedFile, JSON.stringify({ generation }))
    write(path.join(this.path, 'config.toml'), privateConfig(config))
    write(this.authFile, auth)
  }

  /** The lease that its login is under; null: no login is in it that was planted. */
  plantedGeneration(): number | null {
    try {
      const { generation } = JSON.parse(readOwnFile(this.#plantedFile)) as { generation?: unknown }
      return typeof generation === 'number' ? generation : null
    } catch {
      return null
    }
  }

  /** Takes the login out, and last what says whose it was. */
  clear(): void {
    for (const file of [this.authFile, path.join(this.path, 'config.toml'), this.#plantedFile])
      rmSync(file, { force: true })
  }
}

/** The config.toml of a private home: the login is in a file there, whatever the captured one says. */
export function privateConfig(config: string | null): string {
  return `${IN_FILE}${config?.replace(STORE_KEY, '') ?? ''}`
}

/** The accounts that have a home here. */
export function homesIn(accountsDir: string): string[] {
  try {
    return readdirSync(accountsDir).filter((name) => !name.startsWith('.'))
  } catch {
    return []
  }
}

/** Whole or not at all. A link in its place is replaced, not followed. */
function write(file: string, text: string): void {
  const draft = `${file}.new`
  rmSync(draft, { force: true })
  const descriptor = openOwnFile(draft, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL)
  try {
    writeSync(descriptor, text)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  renameSync(draft, file)
}
