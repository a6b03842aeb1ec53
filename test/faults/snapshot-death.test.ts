// The service dies at each step of what it does with a snapshot: nothing is half done afterwards, nothing is left behind, and
// no file of the user's is lost.
import { execFile } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import {
  type Db,
  insertTask,
  openDatabase,
  taskRow,
  updateTask,
  workspaceOfTask,
} from '../../src/store/index.ts'
import type { RestoredTask } from '../../src/tasks/index.ts'
import { makeWorkspace } from '../../src/testing/index.ts'
import { openRoom } from '../../src/workspaces/fixtures/room.ts'
import { snapshotSettings } from '../../src/workspaces/fixtures/snapshot-settings.ts'

const PROGRAM = fileURLToPath(new URL('../../src/workspaces/fixtures/die-at-snapshot.ts', import.meta.url))
const THREAD = '0198c0de-0000-7000-8000-000000000001'

async function stage() {
  const folder = await makeWorkspace()
  onTestFinished(() => folder.remove())
  const dataDir = path.join(folder.path, 'data')
  const settings = snapshotSettings(dataDir)
  const rollouts = path.join(settings.codexHome, 'sessions/2026/11/19')
  mkdirSync(rollouts, { recursive: true })
  const line = `{"type":"session_meta","payload":{"id":"${THREAD}","cli_version":"0.166.0"}}\n`
  writeFileSync(path.join(rollouts, `rollout-2026-11-19T00-00-00-${THREAD}.jsonl`), line)
  const during = async <T>(work: (room: ReturnType<typeof openRoom>, db: Db) => Promise<T>): Promise<T> => {
    const store = await openDatabase({ dataDir, now: Date.now })
    const room = openRoom(store, { dataDir, snapshots: settings })
    await room.workspaces.open()
    try {
      return await work(room, store.db)
    } finally {
      await room.workspaces.close()
      await store.close()
    }
  }
  const dieAt = async (id: string, act: string, step: string) => {
    const died = promisify(execFile)(process.execPath, [PROGRAM, dataDir, id, act, step])
    await expect(died).rejects.toMatchObject({ signal: 'SIGKILL' })
  }
  const task = await during(async (room, db) => {
    const { id, cwd } = await room.start({ kind: 'scratch', keep: true }, folder.path)
    await updateTask(db, id, { thread_id: THREAD, turn_count: 1 })
    writeFileSync(path.join(cwd, 'a.bin'), randomBytes(900_000))
    return { id, cwd }
  })
  /** What is on disk of snapshots. */
  const stored = () => ({
    chunks: globSync('chunks/*/*', { cwd: path.join(dataDir, 'snapshots') }).sort(),
    other: globSync('{tmp,manifests}/*', { cwd: path.join(dataDir, 'snapshots'), exclude: [] }).sort(),
  })
  return { ...task, during, dieAt, dataDir, stored, home: settings.codexHome, folder: folder.path }
}

/** As the service stores it, in the change that stores the task. */
async function record(db: Db, { place, threadId, snapshotId }: RestoredTask): Promise<string> {
  const row = {
    ...{
      id: randomUUID(),
      title: 'again',
      status: 'idle',
      reason: 'restored',
      evidence: '{}',
      prompt: 'go on',
    },
    ...{ policy: '{}', preset: 'ask-all', rules: '[]', notify: '[]', keep_open: 0, turn_count: 0 },
    ...{ limit_resumes: 0, last_seq: 0, created_at: 1, updated_at: 1, cwd: place.cwd },
    ...{ workspace: JSON.stringify(place.workspace), thread_id: threadId, restored_from: snapshotId },
  }
  await db.transaction().execute(async (change) => {
    await insertTask(change, row, [])
    await place.record(change, row)
  })
  return row.id
}

it('a snapshot that was being taken or removed is gone, with all that belongs to it; the others stay whole', async () => {
  const { id, cwd, during, dieAt, stored } = await stage()
  for (const step of ['snapshot-on-record', 'snapshot-packed', 'snapshot-written']) {
    await dieAt(id, 'take', step)
    await during(async ({ workspaces }) => expect(await workspaces.snapshots.taken.list(id)).toEqual([]))
    expect(stored()).toEqual({ chunks: [], other: [] })
  }
  const first = await during(({ workspaces }) => workspaces.snapshots.taken.take(id, { cause: 'hand' }))
  const before = stored()
  writeFileSync(path.join(cwd, 'b.bin'), randomBytes(200_000))
  for (const step of ['snapshot-removing', 'snapshot-forgotten', 'snapshot-swept']) {
    const second = await during(({ workspaces }) => workspaces.snapshots.taken.take(id, { cause: 'hand' }))
    await dieAt(second.id, 'remove', step)
    await during(async ({ workspaces }) => {
      const { taken, restores } = workspaces.snapshots
      expect((await taken.list(id)).map((row) => row.id)).toEqual([first.id])
      await restores.plan(first.id, {})
    })
    expect(stored()).toEqual(before)
  }
}, 60_000)

it('a restored workspace is made once, whole, whatever died; what the user put there meanwhile stays', async () => {
  const { id, cwd, during, dieAt, home, folder } = await stage()
  const snapshot = await during(({ workspaces }) => workspaces.snapshots.taken.take(id, { cause: 'hand' }))
  const planned = (into?: string) =>
    during(async ({ workspaces }, db) => {
      const { restored } = await workspaces.snapshots.restores.plan(snapshot.id, { into })
      return { task: await record(db, restored), threadId: restored.threadId!, folder: restored.place.cwd }
    })
  const again = await planned()
  for (const step of [
    'making',
    'restore-unpacked',
    'restore-named',
    'restore-begun',
    'made',
    'restore-thread',
  ])
    await dieAt(again.task, 'make', step)
  await during(async ({ workspaces, task }, db) => {
    await workspaces.prepare(await task(again.task))
    expect(await workspaceOfTask(db, again.task)).toMatchObject({ state: 'ready', problem: null })
  })
  expect(readFileSync(path.join(again.folder, 'a.bin')).equals(readFileSync(path.join(cwd, 'a.bin')))).toBe(
    true,
  )
  expect(readdirSync(path.dirname(again.folder)).filter((name) => name.startsWith('.'))).toEqual([])
  const rollouts = globSync('sessions/**/*.jsonl', { cwd: home })
  expect(rollouts.filter((name) => name.includes(again.threadId))).toHaveLength(1)
  expect(rollouts).toHaveLength(2)

  // Into a folder of the user's: killed before it had its name, and filled by the user since.
  const into = path.join(folder, 'mine')
  const mine = await planned(into)
  await dieAt(mine.task, 'make', 'restore-unpacked')
  mkdirSync(into)
  writeFileSync(path.join(into, 'own.txt'), 'mine')
  await during(async ({ workspaces, task }, db) => {
    await expect(workspaces.prepare(await task(mine.task))).rejects.toMatchObject({ code: 'workspace-gone' })
    const row = await workspaceOfTask(db, mine.task)
    await workspaces.remove(row!.id, { confirm: row!.id })
  })
  expect(readdirSync(into)).toEqual(['own.txt'])
}, 60_000)

it('a file that was being brought leaves nothing, and can be brought again', async () => {
  const { id, during, dieAt, folder, stored, dataDir } = await stage()
  const out = path.join(folder, 'x.dbsnap')
  const { id: snapshot } = await during(async ({ workspaces }) => {
    const { taken } = workspaces.snapshots
    const row = await taken.take(id, { cause: 'hand' })
    const parts = []
    for await (const part of taken.export(row.id)) parts.push(part)
    writeFileSync(out, Buffer.concat(parts))
    await taken.remove(row.id)
    return row
  })
  expect(stored()).toEqual({ chunks: [], other: [] })
  for (const step of ['import-on-record', 'import-written']) {
    await dieAt(out, 'import', step)
    await during(async ({ workspaces }) => expect(await workspaces.snapshots.taken.all()).toEqual([]))
    expect(stored()).toEqual({ chunks: [], other: [] })
  }
  await during(async ({ workspaces }, db) => {
    const { taken, restores } = workspaces.snapshots
    async function* bytes(content: Buffer) {
      for (let at = 0; at < content.length; at += 1000) yield content.subarray(at, at + 1000)
    }
    const good = readFileSync(out)
    for (const at of [30, 200, 2000, good.length - 40]) {
      const bad = Buffer.from(good)
      bad[at]! ^= 1
      await expect(taken.import(bytes(bad))).rejects.toMatchObject({ code: 'snapshot-damaged' })
      await expect(taken.import(bytes(good.subarray(0, at)))).rejects.toMatchObject({
        code: 'snapshot-damaged',
      })
    }
    expect(stored()).toEqual({ chunks: [], other: [] })
    expect((await taken.import(bytes(good))).id).toBe(snapshot)
    expect((await taken.import(bytes(good))).is_imported).toBe(1)
    const { restored } = await restores.plan(snapshot, {})
    expect(JSON.parse(restored.kept.policy)).toMatchObject({ sandbox: 'read-only' })
    expect(await taskRow(db, id)).toBeDefined()
  })
  rmSync(path.join(dataDir, 'snapshots', 'chunks'), { recursive: true })
  await during(({ workspaces }) =>
    expect(workspaces.snapshots.restores.plan(snapshot, {})).rejects.toMatchObject({
      code: 'snapshot-damaged',
    }),
  )
  expect(existsSync(out)).toBe(true)
}, 60_000)
