// Restores snapshots: into a folder beside the place, which gets its name at the end. An attempt that died is begun anew.
import { existsSync, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { chmod, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { StoredTask, StoredWorkspace } from '../../store/index.ts'
import { History } from '../git/history.ts'
import { historyDir, keptThreadDir, type Places, partialOf } from '../places.ts'
import { WorkspaceError } from '../workspace-error.ts'
import { damaged } from './chunk-codec.ts'
import type { SnapshotFacts } from './facts.ts'
import { isSealedManifest } from './manifest.ts'
import { unpack, verify } from './pack.ts'
import { placeThread } from './place-thread.ts'
import { planRestore, type RestorePlan, type RestoreRequest, type RestoreSeed } from './restore-plan.ts'
import type { SnapshotParts } from './snapshot-parts.ts'
import type { Snapshots } from './snapshots.ts'

export interface RestoringParts extends SnapshotParts {
  readonly snapshots: Snapshots
  readonly knownTools: (names: readonly string[]) => readonly string[]
  readonly isTrusted: (folder: string) => boolean
}

export interface MadeFromSnapshot {
  readonly repository: string | null
  readonly base_commit: string | null
}

export class Restores {
  readonly #parts: RestoringParts

  constructor(parts: RestoringParts) {
    this.#parts = parts
  }

  /** All of the snapshot is read and checked before this resolves. Nothing is made yet. */
  async plan(id: string, request: RestoreRequest): Promise<RestorePlan> {
    const { snapshots } = this.#parts
    const row = await snapshots.ready(id)
    return snapshots.folder.using(async ({ store, manifests }) => {
      if (row.is_sealed === 1 && !isSealedManifest(await manifests.stored(id)))
        throw damaged('it was encrypted when it was taken, and is not any more')
      const manifest = await manifests.read(id)
      const plan = await planRestore({ row, facts: manifest.facts }, request, this.#parts)
      await verify(store, manifest)
      return plan
    })
  }

  async facts(id: string): Promise<SnapshotFacts> {
    return this.#parts.snapshots.folder.using(async ({ manifests }) => (await manifests.read(id)).facts)
  }

  /** Makes what is on record. */
  async make(row: StoredWorkspace): Promise<MadeFromSnapshot> {
    const { snapshots, here, atStep } = this.#parts
    const { places } = await here()
    await this.undo(row)
    const { snapshot } = seedOf(row)
    const thread = keptThreadDir(places, row.id)
    if (!(await this.#isNamed(row))) {
      refuseFilled(row)
      const partial = partialOf(row)
      await mkdir(partial, { mode: 0o700 })
      await mkdir(thread, { recursive: true, mode: 0o700 })
      await snapshots.folder.using(async ({ store, manifests }) =>
        unpack(store, await manifests.read(snapshot), { work: partial, thread }),
      )
      await atStep('restore-unpacked')
      await writeFile(markOf(row, places), String(statSync(partial, { bigint: true }).ino), { mode: 0o600 })
      refuseFilled(row)
      await rename(partial, row.folder)
      await atStep('restore-named')
    }
    const made = await this.#begunHistory(row)
    await atStep('restore-begun')
    return made
  }

  /** Before the first turn: the thread is in the codex home of the task. */
  async placeThread(task: StoredTask, row: StoredWorkspace): Promise<void> {
    const { threadId } = seedOf(row)
    const { places } = await this.#parts.here()
    const kept = keptThreadDir(places, row.id)
    if (task.turn_count > 0) return rm(kept, { recursive: true, force: true })
    if (threadId === null) return
    const home = task.codex_home ?? this.#parts.settings.codexHome
    await placeThread(kept, home, threadId)
    await this.#parts.atStep('restore-thread')
  }

  /** What an attempt has left; never a folder that may have become the user's. */
  async undo(row: StoredWorkspace): Promise<void> {
    const { places } = await this.#parts.here()
    await makeRemovable(partialOf(row))
    await rm(partialOf(row), { recursive: true, force: true })
    if (!(await this.#isNamed(row))) {
      await rm(keptThreadDir(places, row.id), { recursive: true, force: true })
      // The number of a folder that is gone can be given to the next one that is made.
      await rm(markOf(row, places), { force: true })
    }
    await rm(historyDir(places, row.id), { recursive: true, force: true })
  }

  /** Of a workspace that is being removed: what is known of it besides its folder. Whether that folder is ours to remove. */
  async forget(row: StoredWorkspace): Promise<boolean> {
    const { places } = await this.#parts.here()
    const isOurs = await this.#isNamed(row)
    await this.undo(row)
    await rm(keptThreadDir(places, row.id), { recursive: true, force: true })
    return isOurs
  }

  /** The folder there is the one that was unpacked. */
  async #isNamed(row: StoredWorkspace): Promise<boolean> {
    const mark = markOf(row, (await this.#parts.here()).places)
    const folder = statSync(row.folder, { bigint: true, throwIfNoEntry: false })
    return folder !== undefined && existsSync(mark) && readFileSync(mark, 'utf8') === String(folder.ino)
  }

  /** Where there is a repository of its own, its states are kept from here on. */
  async #begunHistory(row: StoredWorkspace): Promise<MadeFromSnapshot> {
    const { git, places } = await this.#parts.here()
    const gitDir = path.join(row.folder, '.git')
    const base = row.base_commit
    if (base === null || row.branch === null || !isPlainRepository(gitDir))
      return { repository: null, base_commit: null }
    const history = new History(git, { dir: historyDir(places, row.id), folder: row.folder })
    const indexFile = path.join(gitDir, 'index')
    await history.make({ commonDir: gitDir, settingsFrom: gitDir, indexFile, base, filters: false })
    await history.keepBefore(1)
    return { repository: gitDir, base_commit: base }
  }
}

function markOf({ id }: StoredWorkspace, { records }: Places): string {
  return path.join(records, `${id}.restored`)
}

function seedOf({ seed }: Pick<StoredWorkspace, 'seed'>): RestoreSeed {
  return JSON.parse(seed!) as RestoreSeed
}

function refuseFilled({ folder }: StoredWorkspace): void {
  const facts = lstatSync(folder, { throwIfNoEntry: false })
  if (!facts || (facts.isDirectory() && readdirSync(folder).length === 0)) return
  throw new WorkspaceError(
    'workspace-gone',
    `${folder} is not empty any more: restore the snapshot into another folder`,
  )
}

/** Of a repository, what git or its history here reads besides. */
const READ = [
  'HEAD',
  'config',
  'info',
  'info/exclude',
  'objects/info',
  'objects/pack',
  'packed-refs',
  'shallow',
]

/** Nothing in it leads git to another repository: a snapshot from elsewhere can have anything there. */
function isPlainRepository(gitDir: string): boolean {
  const isFolder = (name: string) =>
    lstatSync(path.join(gitDir, name), { throwIfNoEntry: false })?.isDirectory() === true
  const isThere = (name: string) =>
    lstatSync(path.join(gitDir, name), { throwIfNoEntry: false }) !== undefined
  const folders = ['', 'objects', 'refs', 'refs/heads']
  const logs = ['logs', 'logs/refs', 'logs/refs/heads'].filter(isThere)
  const strays = ['commondir', 'gitdir', 'objects/info/alternates', 'config.worktree']
  const isLink = (name: string) =>
    lstatSync(path.join(gitDir, name), { throwIfNoEntry: false })?.isSymbolicLink() === true
  const index = lstatSync(path.join(gitDir, 'index'), { throwIfNoEntry: false })
  if (strays.some(isThere) || READ.some(isLink)) return false
  return [...folders, ...logs].every(isFolder) && index?.isFile() === true
}

/** Folders that were restored read-only. */
async function makeRemovable(folder: string): Promise<void> {
  if (!existsSync(folder) || process.getuid?.() === 0) return
  const open = async (at: string): Promise<void> => {
    await chmod(at, 0o700)
    for (const entry of await readdir(at, { withFileTypes: true }))
      if (entry.isDirectory()) await open(path.join(at, entry.name))
  }
  await open(folder)
}
