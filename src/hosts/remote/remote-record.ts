// What is written down here about an app-server on a host, from just before its start until it is gone: its machine may be
// away when the service comes back.
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Protection } from '../../codex/index.ts'
import { makeFolder } from '../../util/make-folder.ts'
import { removeFiles } from '../remove-files.ts'

export interface RemoteRecord {
  /** The value of its marker variable, and the name of its folder there. */
  readonly id: string
  readonly host: string
  /** A host that was removed and added again may be another machine. */
  readonly destination: string
  /** As it was asked for; null: codex's own there. */
  readonly codexHome: string | null
  /** Tells whether it was started with the settings of today. */
  readonly settings: string
  readonly codexPath: string
  readonly codexVersion: string
  readonly protection: Protection
  /** ISO time. */
  readonly startedAt: string
}

const FILE = /^[0-9a-f]{32}\.json$/

export class RemoteRecords {
  readonly #folder: string

  constructor(dataDir: string) {
    this.#folder = path.join(dataDir, 'ssh', 'app-servers')
  }

  /** A reader sees all of it or nothing. */
  write(record: RemoteRecord): void {
    const file = this.#file(record.id)
    makeFolder(this.#folder)
    writeFileSync(`${file}.tmp`, `${JSON.stringify(record)}\n`, { mode: 0o600, flush: true })
    renameSync(`${file}.tmp`, file)
  }

  remove(id: string): void {
    removeFiles(this.#file(id), `${this.#file(id)}.tmp`)
  }

  all(): RemoteRecord[] {
    return namesIn(this.#folder).flatMap((name) => read(path.join(this.#folder, name)))
  }

  #file(id: string): string {
    return path.join(this.#folder, `${id}.json`)
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => FILE.test(name))
  } catch {
    return [] // nothing was ever started on a host
  }
}

/** What cannot be read is no record: what it was about is found on the host, and ended there when it does nothing. */
function read(file: string): RemoteRecord[] {
  try {
    const record = Object(JSON.parse(readFileSync(file, 'utf8'))) as Record<string, unknown>
    const { id, host, destination, settings, codexPath, codexVersion, startedAt } = record
    const texts = [id, host, destination, settings, codexPath, codexVersion, startedAt]
    const { profile, paths } = Object(record.protection) as Record<string, unknown>
    const isWhole = texts.every((text) => typeof text === 'string') && typeof profile === 'string'
    return isWhole && Array.isArray(paths) ? [record as unknown as RemoteRecord] : []
  } catch {
    return []
  }
}
