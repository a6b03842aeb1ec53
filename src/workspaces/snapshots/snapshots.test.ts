// Snapshots on a real store and real folders, without codex: what comes from elsewhere, and what happens at the same time.
import { existsSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setImmediate as nextTick } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { makeGitRepo } from '../../../test/support/git-repo.ts'
import { STORES } from '../../../test/support/stores.ts'
import { updateTask, workspaceRow } from '../../store/index.ts'
import { makeWorkspace } from '../../testing/index.ts'
import { openRoom } from '../fixtures/room.ts'
import type { WorkspacesOptions } from '../workspaces.ts'

const HAND = { cause: 'hand' } as const

async function stage(options: Partial<WorkspacesOptions> & { readonly keep?: number } = {}) {
  const folder = await makeWorkspace()
  onTestFinished(() => folder.remove())
  const store = await (await STORES[0].make()).open()
  const dataDir = path.join(folder.path, 'data')
  const codexHome = path.join(folder.path, 'home')
  const settings = {
    ...{ folder: null, keep: options.keep ?? 5, exclude: [], gitignore: false, encrypt: false },
    ...{ key: async () => null, codexHome, machine: 'here' },
  }
  const room = openRoom(store, { dataDir, snapshots: settings, ...options })
  onTestFinished(async () => {
    await room.workspaces.close()
    await store.close()
  })
  const scratch = async (more: Parameters<typeof updateTask>[2] = {}) => {
    const task = await room.start({ kind: 'scratch', keep: true }, folder.path)
    await updateTask(store.db, task.id, { reason: 'it has ended', ...more })
    writeFileSync(path.join(task.cwd, 'a'), 'a')
    return task
  }
  return { folder: folder.path, dataDir, store, scratch, ...room, ...room.workspaces.snapshots }
}

async function fileOf(parts: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = []
  for await (const part of parts) all.push(part)
  return Buffer.concat(all)
}

async function* sent(bytes: Buffer) {
  yield bytes
}

it('rights, rules and labels come along from a file only as far as a person says so', async () => {
  const policy = {
    ...{ sandbox: 'workspace-write', approvalPolicy: 'never', model: 'm', network: 'on', confined: true },
    ...{ trustedRoot: '/', gitFolders: ['/'], allow: [{ path: '/', access: 'write' }] },
    config: { mcp_servers: { x: { command: 'sh' } } },
  }
  const there = await stage()
  const task = await there.scratch({
    policy: JSON.stringify(policy),
    preset: 'workspace',
    rules: '["allow ls"]',
  })
  const { id } = await there.taken.take(task.id, HAND)
  const own = await there.restores.plan(id, {})
  const { trustedRoot: _, gitFolders: __, ...rest } = policy
  expect(JSON.parse(own.restored.kept.policy)).toEqual(rest)

  const here = await stage()
  await here.taken.import(sent(await fileOf(there.taken.export(id))))
  const { restored } = await here.restores.plan(id, {})
  expect(restored).toMatchObject({ labels: [], kept: { preset: 'ask-all', rules: '[]' } })
  expect(JSON.parse(restored.kept.policy)).toEqual({
    ...{ approvalPolicy: 'on-request', sandbox: 'read-only', confined: true, model: 'm' },
  })
  const { restored: kept } = await here.restores.plan(id, { keepRights: true })
  expect(kept.kept).toMatchObject({ preset: 'workspace', rules: '["allow ls"]' })
  expect(JSON.parse(kept.kept.policy)).toEqual({
    ...{ approvalPolicy: 'never', sandbox: 'workspace-write', confined: true, model: 'm' },
  })
})

it('one who reads an exported snapshot slowly gets all of it, and keeps nobody waiting', async () => {
  const { taken, scratch } = await stage({ keep: 1 })
  const task = await scratch()
  const first = await taken.take(task.id, HAND)
  const parts = taken.export(first.id)
  const begin = (await parts.next()).value as Buffer
  writeFileSync(path.join(task.cwd, 'a'), 'b')
  const second = await taken.take(task.id, HAND)
  await expect.poll(() => taken.list(task.id)).toMatchObject([{ id: second.id }])
  const file = Buffer.concat([begin, await fileOf(parts)])
  const elsewhere = await stage()
  await expect(elsewhere.taken.import(sent(file))).resolves.toMatchObject({ id: first.id, state: 'ready' })
})

it('the same file that comes twice at once is one snapshot', async () => {
  const there = await stage()
  const { id } = await there.taken.take((await there.scratch()).id, HAND)
  const file = await fileOf(there.taken.export(id))
  const here = await stage()
  const both = await Promise.all([here.taken.import(sent(file)), here.taken.import(sent(file))])
  expect(both).toMatchObject([
    { id, state: 'ready' },
    { id, state: 'ready' },
  ])
})

it('a workspace that is removed meanwhile waits for its snapshot', async () => {
  const packed = Promise.withResolvers<void>()
  const go = Promise.withResolvers<void>()
  const atStep = async (name: string) => {
    if (name !== 'snapshot-on-record') return
    packed.resolve()
    await go.promise
  }
  const { taken, workspaces, scratch, task: rowOf } = await stage({ atStep })
  const task = await scratch()
  const { id } = JSON.parse((await rowOf(task.id)).workspace!) as { id: string }
  const taking = taken.take(task.id, HAND)
  await packed.promise
  const removing = workspaces.remove(id, { confirm: id })
  // It would be gone by now.
  for (let turns = 0; turns < 200; turns++) await nextTick()
  expect(existsSync(path.join(task.cwd, 'a'))).toBe(true)
  go.resolve()
  const snapshot = await taking
  await removing
  expect(JSON.parse(snapshot.facts!)).toMatchObject({ counts: { files: 1 } })
  expect(existsSync(task.cwd)).toBe(false)
})

it('a link out of the workspace is kept as a link, and what it leads to is not read', async () => {
  const { folder, taken, scratch } = await stage()
  const task = await scratch()
  mkdirSync(path.join(folder, 'outside'))
  writeFileSync(path.join(folder, 'outside', 'secret'), 'secret words')
  symlinkSync(path.join(folder, 'outside'), path.join(task.cwd, 'folder'))
  symlinkSync(path.join(folder, 'outside', 'secret'), path.join(task.cwd, 'file'))
  const snapshot = await taken.take(task.id, HAND)
  expect(JSON.parse(snapshot.facts!)).toMatchObject({ counts: { files: 1, links: 2, bytes: 1 } })
})

it.for(['info/exclude', 'shallow', 'config', 'objects/pack'])(
  'a repository whose %s is a link is files, and nothing of it is read',
  async (name) => {
    const { folder, store, start, taken, restores, workspaces } = await stage()
    const repo = makeGitRepo(path.join(folder, 'shop'), { a: 'a' })
    const task = await start({ kind: 'clone', source: repo.path }, repo.path)
    const restored = async () => {
      const { id } = await taken.take(task.id, HAND)
      const plan = await restores.plan(id, {})
      await store.db.transaction().execute((db) => plan.restored.place.record(db, task))
      await workspaces.makeRestored(plan.workspaceId)
      return workspaceRow(store.db, plan.workspaceId)
    }
    expect(await restored()).toMatchObject({ state: 'ready', repository: expect.any(String) })
    const place = path.join(task.cwd, '.git', name)
    const elsewhere = path.join(folder, 'elsewhere')
    if (existsSync(place)) renameSync(place, elsewhere)
    else writeFileSync(elsewhere, '')
    mkdirSync(path.dirname(place), { recursive: true })
    symlinkSync(elsewhere, place)
    expect(await restored()).toMatchObject({ state: 'ready', repository: null })
  },
)

it('a folder that a person named for a snapshot is never cleaned up by itself', async () => {
  const { folder, store, start, taken, restores, workspaces } = await stage()
  const repo = makeGitRepo(path.join(folder, 'shop'), { a: 'a' })
  const task = await start({ kind: 'clone', source: repo.path }, repo.path)
  const { id } = await taken.take(task.id, HAND)
  const into = path.join(folder, 'again')
  const plan = await restores.plan(id, { into })
  await store.db.transaction().execute((db) => plan.restored.place.record(db, task))
  await workspaces.makeRestored(plan.workspaceId)
  const { removed, kept } = await workspaces.clean({ before: Date.now() + 1000, isDry: false })
  expect(kept).toEqual([{ id: plan.workspaceId, why: expect.stringContaining('--into') }])
  expect(removed).toHaveLength(1)
  expect(existsSync(path.join(into, 'a'))).toBe(true)
  await workspaces.remove(plan.workspaceId, {})
  expect(existsSync(into)).toBe(false)
})

it.for([
  ['itself', '.', 'a link in the place of the workspace'],
  ['where its task works', 'src', 'leads out of the workspace'],
] as const)('a link in the place of a workspace, %s, is not followed', async ([, where, why]) => {
  const { folder, start, taken } = await stage()
  const repo = makeGitRepo(path.join(folder, 'shop'), { 'src/a': 'a' })
  const task = await start({ kind: 'worktree' }, path.join(repo.path, where))
  renameSync(task.cwd, `${task.cwd}-before`)
  symlinkSync(folder, task.cwd)
  await expect(taken.take(task.id, HAND)).rejects.toMatchObject({
    code: 'snapshot-impossible',
    message: expect.stringContaining(why),
  })
  expect(await taken.list(task.id)).toMatchObject([{ state: 'failed' }])
})
