// The private codex home of one account: planted from the store for its holder, cleared of the login when that is over.
// The threads of its tasks stay in it.
import { closeSync, constants, fsyncSync, readdirSync, renameSync, rmSync, writeSync } from 'node:fs'
import path from 'node:path'
import { makeFolder } from '../util/make-folder.ts'
import { openOwnFile, readOwnFile } from '../util/open-own-file.ts'
import type { StoredLogin } from './seal-login.ts'

/** Where codex has a login. Never in a keyring: it could neither be planted there nor saved back. */
export type KeptIn = 'file' | 'memory'

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

  /**
   * No codex may run in it. The generation is written first: with a login there is always the lease it is under. For
   * `memory` the login is left out: codex is told it, and keeps no file of it.
   */
  plant(
    { auth, config }: StoredLogin,
    { generation, keptIn }: { readonly generation: number; readonly keptIn: KeptIn },
  ): void {
    makeFolder(this.path)
    this.clear()
    this.#settleIn()
    write(this.#plantedFile, JSON.stringify({ generation }))
    write(path.join(this.path, 'config.toml'), privateConfig(config, keptIn))
    if (keptIn === 'file') write(this.authFile, auth)
  }

  /** Codex (0.166) keeps an index of its threads by their absolute paths: of a home that was moved it finds none by it. */
  #settleIn(): void {
    const file = path.join(this.folder, 'place')
    const before = placeIn(file)
    if (before !== null && before !== this.path)
      for (const name of readdirSync(this.path))
        if (/^state_\d+\.sqlite(-wal|-shm)?$/.test(name)) rmSync(path.join(this.path, name), { force: true })
    if (before !== this.path) write(file, this.path)
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

/** The config.toml of a private home: where the login is, whatever the captured one says. */
export function privateConfig(config: string | null, keptIn: KeptIn): string {
  const store = { file: 'file', memory: 'ephemeral' }[keptIn]
  return `cli_auth_credentials_store = "${store}"\n${config?.replace(STORE_KEY, '') ?? ''}`
}

/** Where the home was when it was planted last; null: not known. */
function placeIn(file: string): string | null {
  try {
    return readOwnFile(file)
  } catch {
    return null
  }
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
