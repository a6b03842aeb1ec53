// One change of codex's files at a time, each with a copy of what was there before, so that it can be taken back.
import { createHash } from 'node:crypto'
import { readdirSync, realpathSync, rmSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { makeFolder } from '../../util/make-folder.ts'
import { withFileLock } from '../file-lock.ts'
import { ConfigError } from './config-error.ts'
import { readWhole, replaceWhole, targetOf } from './config-file.ts'
import { type TextChange, undoText } from './undo-text.ts'

const LOCK_WAIT_MS = 30_000
const MAX_TRIES = 20
/** Changes that can be taken back, one after the other. */
const KEPT = 20

const Backup = z.object({
  at: z.string(),
  what: z.string(),
  files: z.array(z.object({ file: z.string(), before: z.string().nullable(), after: z.string().nullable() })),
})
type Backup = z.infer<typeof Backup>

export interface Backups {
  /**
   * Where copies of what was there before are kept, for all homes. Not in CODEX_HOME: what commands of codex can read
   * there would include the secrets of an earlier config.toml.
   */
  readonly backups: string
}

export interface Changed {
  /** Files that are not as they were. */
  readonly files: readonly string[]
}

export interface ChangeOptions extends Backups {
  /** What is done, for the one who takes it back. */
  readonly what: string
  readonly now: number
  /** What another program has already changed for us: the text before, and as that program left it. */
  readonly written?: Readonly<Record<string, TextChange>>
}

/** Paths relative to CODEX_HOME, each with what becomes of its text; null means no file, before and after. */
export type FileChanges = Readonly<Record<string, (before: string | null) => string | null>>

/** Holds the lock of this CODEX_HOME. Other programs do not know the lock: what they write meanwhile is kept all the same. */
export function changeConfig(codexHome: string, changes: FileChanges, options: ChangeOptions): Changed {
  return locked(codexHome, () => {
    const { what } = options
    const at = new Date(options.now).toISOString()
    const backup = newBackup(folderFor(codexHome, options))
    const files: Backup['files'] = []
    for (const [file, change] of Object.entries(changes)) {
      const written = options.written?.[file]
      // What others have written since is not ours to take back.
      const ours = (made: TextChange) => (written ? { ...written, after: change(written.after) } : made)
      // On record before it is done: killed in between, it can still be taken back.
      const keep = (made: TextChange) =>
        backup.write({ at, what, files: [...files, { file, ...ours(made) }] })
      const { before, after } = ours(changeFile(path.join(codexHome, file), change, keep))
      if (before !== after) files.push({ file, before, after })
    }
    if (files.length > 0) backup.write({ at, what, files })
    else backup.remove()
    return { files: files.map(({ file }) => path.join(codexHome, file)) }
  })
}

type Keep = (made: TextChange) => void

function changeFile(file: string, change: (before: string | null) => string | null, keep: Keep): TextChange {
  const target = targetOf(file)
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const before = readWhole(target)
    const after = change(before)
    if (after === before) return { before, after }
    keep({ before, after })
    if (replaceWhole(target, { expected: before, text: after })) return { before, after }
  }
  throw new ConfigError(
    'config-busy',
    `${file} is being written by another program all the time: try again`,
    {
      isRetryable: true,
    },
  )
}

export interface Undone {
  readonly what: string
  readonly at: string
  readonly files: readonly string[]
  /** Whether changes that were made since were kept. */
  readonly hasKeptOthers: boolean
}

/** Takes the last change back, exactly. Refuses where the same part was changed since. */
export function undoConfig(codexHome: string, options: Backups): Undone {
  return locked(codexHome, () => {
    const folder = folderFor(codexHome, options)
    const [last] = backupsIn(folder)
    if (last === undefined)
      throw new ConfigError('nothing-to-undo', `there is no change of ${codexHome} to take back`)
    const { at, what, files } = readBackup(path.join(folder, last))
    // All are checked before the first is written.
    for (const each of files) restored(codexHome, each, readWhole(targetOf(path.join(codexHome, each.file))))
    let hasKeptOthers = false
    for (const each of files)
      changeFile(
        path.join(codexHome, each.file),
        (now) => {
          if (now !== each.after) hasKeptOthers = true
          return restored(codexHome, each, now)
        },
        () => {},
      )
    rmSync(path.join(folder, last))
    return { at, what, files: files.map(({ file }) => path.join(codexHome, file)), hasKeptOthers }
  })
}

function restored(
  codexHome: string,
  { file, before, after }: Backup['files'][number],
  now: string | null,
): string | null {
  if (now === after || now === before) return before
  const whole = file === 'config.toml' ? undoText({ before, after }, now) : null
  if (whole !== null) return whole
  throw new ConfigError(
    'config-changed',
    `${path.join(codexHome, file)} was changed since in the part that would be taken back: edit it by hand`,
  )
}

function locked<T>(codexHome: string, work: () => T): T {
  makeFolder(codexHome)
  const lock = path.join(codexHome, '.config.toml.drawbridge-lock')
  return withFileLock(lock, work, {
    waitMs: LOCK_WAIT_MS,
    busy: (held, pid) =>
      new ConfigError(
        'config-busy',
        `another process${pid === null ? '' : ` (${pid})`} is changing ${codexHome}: try again, or remove ${held} if no Drawbridge runs`,
        { isRetryable: true },
      ),
  })
}

/** One for each home, whatever it is called by. */
function folderFor(codexHome: string, { backups }: Backups): string {
  const name = createHash('sha256').update(realpathSync(codexHome)).digest('hex').slice(0, 16)
  return path.join(backups, name)
}

/** The newest first. */
function backupsIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => /^\d{8}\.json$/.test(name))
      .sort()
      .reverse()
  } catch {
    return []
  }
}

function newBackup(folder: string) {
  const kept = backupsIn(folder)
  const number = Number.parseInt(kept[0] ?? '0', 10) + 1
  const file = path.join(folder, `${String(number).padStart(8, '0')}.json`)
  return {
    write(backup: Backup): void {
      makeFolder(folder)
      replaceWhole(file, { expected: readWhole(file), text: `${JSON.stringify(backup)}\n` })
      for (const old of kept.slice(KEPT - 1)) rmSync(path.join(folder, old), { force: true })
    },
    remove: () => rmSync(file, { force: true }),
  }
}

function readBackup(file: string): Backup {
  try {
    return Backup.parse(JSON.parse(readWhole(file) ?? ''))
  } catch (cause) {
    throw new ConfigError('config-broken', `${file} is damaged: remove it to take back the change before`, {
      cause,
    })
  }
}
