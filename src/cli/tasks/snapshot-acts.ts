import { createReadStream, createWriteStream, existsSync, statSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { DrawbridgeClient, RestoreSnapshot, Snapshot } from '../../api/index.ts'
import { DrawbridgeError } from '../../codex/index.ts'
import { namedCodex, namedCodexHome } from '../options/index.ts'
import { EXIT, type Surroundings, UsageError } from '../process/index.ts'
import { ago, type Cell, count, printJson, printTable, tell, visibleLine } from '../screen/index.ts'
import { type ServiceFlags, serviceClient } from '../service/index.ts'
import { findSnapshotId, findTaskId, shortId } from './find-id.ts'

export interface TakeFlags extends ServiceFlags {
  readonly exclude: readonly string[]
  readonly gitignore?: boolean
  readonly out?: string
}

export interface ListFlags extends ServiceFlags {
  readonly leftOut?: boolean
}

export interface RemoveFlags {
  readonly rm: readonly string[]
}

export interface RestoreFlags extends ServiceFlags {
  readonly prompt?: string | undefined
  readonly into?: string
  readonly sandbox?: 'read-only' | 'workspace-write'
  readonly keepRights?: boolean
  readonly title?: string
  readonly account?: string
  readonly codex?: string
  readonly codexHome?: string
  readonly host?: string
}

const LOOK_MS = 1000

export async function takeSnapshot(
  given: string,
  flags: TakeFlags,
  surroundings: Surroundings,
): Promise<number> {
  const client = await serviceClient(flags, surroundings)
  const id = await findTaskId(client, given)
  const { exclude, gitignore, out } = flags
  if (out !== undefined && existsSync(out)) throw new UsageError(`--out: ${out} is there already`)
  const asked = { ...(exclude.length > 0 && { exclude: [...exclude] }), ...(gitignore && { gitignore }) }
  const snapshot = await settled(client, await client.snapshots.take(id, asked))
  if (out !== undefined) await download(client, snapshot, out)
  if (flags.json) printJson(surroundings, snapshot)
  else {
    surroundings.stdout.write(`${snapshot.id}\n`)
    tell(surroundings, summary(snapshot))
    if (out !== undefined)
      tell(surroundings, `Written to ${out}. It holds everything that was said in the thread.`)
  }
  return EXIT.done
}

export async function listSnapshots(
  given: string | undefined,
  flags: ListFlags & RemoveFlags,
  surroundings: Surroundings,
): Promise<number> {
  const client = await serviceClient(flags, surroundings)
  for (const each of flags.rm) {
    const { id } = await client.snapshots.remove(await findSnapshotId(client, each))
    tell(surroundings, `Removed ${id}.`)
  }
  if (flags.rm.length > 0 && given === undefined) return EXIT.done
  const taskId = given === undefined ? null : await findTaskId(client, given)
  const snapshots = await (taskId === null ? client.snapshots.all() : client.snapshots.list(taskId))
  if (flags.json) printJson(surroundings, snapshots)
  else if (snapshots.length === 0) tell(surroundings, 'There are no snapshots.')
  else printTable(surroundings, table(snapshots, Date.now()))
  if (flags.leftOut && !flags.json)
    for (const { path: name, why } of snapshots[0]?.leftOut ?? [])
      surroundings.stdout.write(`${why.padEnd(10)} ${visibleLine(name)}\n`)
  return EXIT.done
}

export async function restoreSnapshot(
  given: string,
  flags: RestoreFlags,
  surroundings: Surroundings,
): Promise<number> {
  const client = await serviceClient(flags, surroundings)
  const snapshot = await snapshotOf(client, given)
  if (snapshot.isImported && !flags.json) tell(surroundings, rightsText(snapshot, flags))
  const task = await client.snapshots.restore(snapshot.id, requestOf(flags))
  if (flags.json) printJson(surroundings, task)
  else {
    surroundings.stdout.write(`${task.id}\n`)
    const next =
      flags.prompt === undefined ? `: drawbridge task send ${shortId(task.id)} "…" goes on with it` : ''
    tell(surroundings, `Restored in ${visibleLine(task.cwd)}${next}.`)
  }
  return EXIT.done
}

function requestOf(flags: RestoreFlags): RestoreSnapshot {
  const { prompt, into, sandbox, keepRights, title, account, codex, codexHome, host } = flags
  return {
    ...(prompt !== undefined && { prompt }),
    ...(into !== undefined && { into: path.resolve(into) }),
    ...(sandbox !== undefined && { sandbox }),
    ...(keepRights && { keepRights }),
    ...(title !== undefined && { title }),
    ...(account !== undefined && { account }),
    ...(codex !== undefined && { codexPath: namedCodex(codex) }),
    ...(codexHome !== undefined && { codexHome: namedCodexHome(codexHome) }),
    ...(host !== undefined && { host }),
  }
}

/** By its id, or brought from a file. */
async function snapshotOf(client: DrawbridgeClient, given: string): Promise<Snapshot> {
  const isFile = statSync(given, { throwIfNoEntry: false })?.isFile() === true
  if (isFile) return client.snapshots.import(createReadStream(given, { highWaterMark: 1024 * 1024 }))
  if (given.includes('/') || given.endsWith('.dbsnap')) throw new UsageError(`there is no file ${given}`)
  return client.snapshots.get(await findSnapshotId(client, given))
}

async function settled(client: DrawbridgeClient, first: Snapshot): Promise<Snapshot> {
  let snapshot = first
  for (; snapshot.state === 'taking'; snapshot = await client.snapshots.get(first.id)) await delay(LOOK_MS)
  if (snapshot.state === 'ready') return snapshot
  throw new DrawbridgeError(snapshot.problem ?? 'the snapshot could not be taken', {
    code: 'snapshot-impossible',
  })
}

/** Under its name when all of it is there. */
async function download(client: DrawbridgeClient, { id }: Snapshot, out: string): Promise<void> {
  const partial = `${out}.part`
  try {
    await pipeline(
      await client.snapshots.download(id),
      createWriteStream(partial, { mode: 0o600, flush: true }),
    )
    await rename(partial, out)
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
}

function summary({ files, bytes, storedBytes, leftOutCount, changed }: Snapshot): string {
  const left = leftOutCount > 0 ? `, ${leftOutCount} left out` : ''
  const moving = changed ? `; ${count(changed, 'file')} changed while it was taken` : ''
  return `${count(files ?? 0, 'file')}, ${sizeText(bytes)}${left}; it takes ${sizeText(storedBytes)} more on disk${moving}.`
}

function rightsText(
  { sandbox, preset, rules, machine }: Snapshot,
  { keepRights, sandbox: asked }: RestoreFlags,
): string {
  const had = `sandbox ${sandbox ?? 'read-only'}, approvals ${preset}, ${count(rules ?? 0, 'rule')} of its own`
  const now = keepRights
    ? 'It keeps them'
    : `Now: sandbox ${asked ?? 'read-only'}, approvals ask-all, no rules (--keep-rights keeps them)`
  return `It was taken on ${visibleLine(machine ?? 'another machine')}, with ${had}. ${now}.`
}

function table(snapshots: readonly Snapshot[], now: number): Cell[][] {
  const head = ['SNAPSHOT', 'TASK', 'TAKEN', 'WHY', 'TURNS', 'FILES', 'SIZE', 'ON DISK', 'STATE']
  return [
    head.map((text): Cell => ({ text, colour: 'dim' })),
    ...snapshots.map((each) => [
      { text: shortId(each.id) },
      { text: `${shortId(each.taskId)} ${visibleLine(each.title ?? '').slice(0, 30)}` },
      { text: ago(each.createdAt, now) },
      { text: WHY[each.cause] },
      { text: String(each.turnCount) },
      { text: each.files === null ? '–' : String(each.files) },
      { text: sizeText(each.bytes) },
      { text: sizeText(each.storedBytes) },
      { text: stateText(each), ...(each.state === 'failed' && { colour: 'red' as const }) },
    ]),
  ]
}

const WHY = { hand: 'by hand', end: 'at the end', limited: 'at a limit', turns: 'by turns' } as const

function stateText({ state, problem, isImported, isEncrypted }: Snapshot): string {
  if (problem !== null) return visibleLine(problem)
  const more = [isImported ? 'from a file' : '', isEncrypted ? 'encrypted' : ''].filter(Boolean)
  return [state, ...more].join(', ')
}

function sizeText(bytes: number | null): string {
  if (bytes === null) return '–'
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}
