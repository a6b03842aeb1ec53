// A task that works in several repositories: a worktree of each, beside each other.
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { git, makeGitRepo } from '../../test/support/git-repo.ts'
import { stagedRoom } from '../../test/support/staged-room.ts'
import type { StoredTask } from '../store/index.ts'
import type { TaskWorkspace } from '../tasks/index.ts'
import { planAll } from './repositories.ts'

async function stage() {
  const { room, folder, dataDir } = await stagedRoom()
  const shop = makeGitRepo(path.join(folder, 'shop'), { 'src/a.txt': 'one\n' })
  const lib = makeGitRepo(path.join(folder, 'lib'), { 'l.txt': 'lib\n' })
  const tools = makeGitRepo(path.join(folder, 'tools'), { 't.txt': 'tools\n' })
  const also = [{ source: lib.path }, { source: tools.path, branch: 'try' }]
  return { room, shop, lib, tools, also, folder, root: `${dataDir}-workspaces` }
}

const partsOf = ({ workspace }: StoredTask) => (JSON.parse(workspace!) as TaskWorkspace).parts

it('each has a worktree and a branch of its own, beside the first; a fork has its own of all', async () => {
  const { room, shop, lib, tools, also, root } = await stage()
  const task = await room.start({ kind: 'worktree', also }, path.join(shop.path, 'src'))
  const [inLib, inTools] = partsOf(task)
  const name = path.basename(path.dirname(task.cwd))
  expect(readdirSync(root).sort()).toEqual([inLib!.id, inTools!.id, name].sort())
  expect([inLib, inTools]).toMatchObject([
    { folder: path.join(root, inLib!.id), source: lib.path, branch: `drawbridge/${inLib!.id}`, from: 'main' },
    { source: tools.path, branch: 'try', base: tools.git('rev-parse', 'HEAD') },
  ])
  expect(git(inTools!.folder, 'branch', '--show-current')).toBe('try')
  expect(git(inLib!.folder, 'status', '--porcelain')).toBe('')
  const rows = await room.workspaces.list({ sizes: false })
  expect(rows.map(({ row, task: of }) => [row.part_of, of?.id])).toEqual(
    expect.arrayContaining([
      [null, task.id],
      [name, task.id],
      [name, task.id],
    ]),
  )

  writeFileSync(path.join(inLib!.folder, 'new.txt'), 'uncommitted\n')
  writeFileSync(path.join(inTools!.folder, 't.txt'), 'changed\n')
  await room.workspaces.commit(task.id, { message: 'in tools', repository: 'tools' })
  const fork = await room.fork(task)
  const [forkLib, forkTools] = partsOf(fork)
  expect(path.basename(fork.cwd)).toBe('src')
  expect(git(forkLib!.folder, 'status', '--porcelain')).toBe('?? new.txt')
  expect(git(forkTools!.folder, 'log', '-1', '--format=%s')).toBe('in tools')
  expect(new Set([inLib, inTools, forkLib, forkTools].map((part) => part!.branch)).size).toBe(4)
})

it('their work is shown together and apart; each is committed, applied and discarded by itself', async () => {
  const { room, shop, lib, tools, also } = await stage()
  const { workspaces } = room
  const task = await room.start({ kind: 'worktree', also }, shop.path)
  const [inLib, inTools] = partsOf(task)
  await expect(workspaces.commit(task.id, { message: 'x' })).rejects.toMatchObject({ code: 'nothing-to-do' })
  writeFileSync(path.join(task.cwd, 'src/a.txt'), 'two\n')
  expect(await workspaces.commit(task.id, { message: 'shop' })).toMatchObject({
    workspace: path.basename(task.cwd),
  })
  writeFileSync(path.join(inLib!.folder, 'l.txt'), 'changed\n')

  const { repositories, text } = await workspaces.diff(task.id, {})
  expect(repositories.map(({ source }) => source)).toEqual([shop.path, lib.path, tools.path])
  expect(repositories.map((one) => one.text.includes('+'))).toEqual([true, true, false])
  expect(text).toMatch(/^# shop-[0-9a-f]{6}: \/.*\/shop\ndiff --git .*\n(.*\n)+# lib-.*\ndiff --git /)
  expect((await workspaces.diff(task.id, { repository: 'lib' })).text).toBe(repositories[1]!.text)
  writeFileSync(path.join(lib.path, '..', 'one.patch'), text.slice(text.indexOf('# lib-')))
  lib.git('apply', '--check', path.join(lib.path, '..', 'one.patch'))

  const both = {
    code: 'repository-needed',
    details: { repositories: [{ source: shop.path }, { source: lib.path }] },
  }
  await expect(workspaces.apply(task.id, { method: 'patch' })).rejects.toMatchObject(both)
  expect([shop.read('src/a.txt'), lib.read('l.txt')]).toEqual(['one\n', 'lib\n'])
  lib.write('l.txt', 'mine\n')
  await expect(workspaces.apply(task.id, { method: 'patch', repository: 'lib' })).rejects.toMatchObject({
    code: 'checkout-dirty',
  })
  lib.git('checkout', '-q', 'l.txt')
  expect(await workspaces.apply(task.id, { method: 'patch', repository: inLib!.id })).toMatchObject({
    workspace: inLib!.id,
    files: ['l.txt'],
  })
  expect([shop.read('src/a.txt'), lib.read('l.txt')]).toEqual(['one\n', 'changed\n'])
  await workspaces.apply(task.id, { method: 'merge', repository: 'shop' })
  expect(shop.read('src/a.txt')).toBe('two\n')

  await expect(workspaces.discard(task.id, {})).rejects.toMatchObject({ code: 'repository-needed' })
  await expect(workspaces.discard(task.id, { repository: 'nothing' })).rejects.toMatchObject({
    code: 'repository-not-found',
    message: expect.stringContaining(inTools!.id),
  })
  expect((await workspaces.clean({ before: Date.now() + 1, isDry: false })).kept).toMatchObject([
    { id: inLib!.id },
  ])
  expect([task.cwd, inLib!.folder, inTools!.folder].map((place) => existsSync(place))).toEqual([
    false,
    true,
    false,
  ])
  expect((await workspaces.show(task.id)).row.id).toBe(inLib!.id)
  expect(await workspaces.discard(task.id, { confirm: inLib!.id })).toMatchObject({ workspace: inLib!.id })
})

it('of each the state before a turn is kept', async () => {
  const { room, shop, also } = await stage()
  const { workspaces } = room
  const task = await room.start({ kind: 'worktree', also }, shop.path)
  const [inLib] = partsOf(task)
  writeFileSync(path.join(inLib!.folder, 'first.txt'), '1\n')
  await workspaces.prepare({ ...task, turn_count: 1 })
  writeFileSync(path.join(inLib!.folder, 'second.txt'), '2\n')
  const { text } = await workspaces.diff(task.id, { turn: 2, repository: 'lib' })
  expect([text.includes('first.txt'), text.includes('second.txt')]).toEqual([false, true])
})

it('what makes no sense is refused, and nothing is on record', async () => {
  const { room, shop, lib, also, folder } = await stage()
  const add = (request: object, on = {}) => room.add({ kind: 'worktree', ...request } as never, shop.path, on)
  const plain = path.join(folder, 'plain')
  for (const [request, why] of [
    [{ kind: 'clone', source: shop.path, also }, 'a clone has no further repositories'],
    [{ kind: 'scratch', also }, 'a scratch has no further repositories'],
    [{ commits: true, also }, 'leave out that codex may commit'],
    [{ also: [{ source: path.join(shop.path, 'src') }] }, 'has already'],
    [{ also: [also[0], { ...also[0], branch: 'x' }] }, 'has already'],
    [{ also: [{ source: '../lib' }] }, 'from / on'],
    [{ also: [{ source: plain }] }, `further repository ${plain}`],
    [{ also: [{ source: lib.path, from: 'nope' }] }, 'no commit nope'],
  ] as const)
    await expect(add(request)).rejects.toMatchObject({
      code: 'bad-request',
      message: expect.stringContaining(why),
    })
  const there = { git: { machine: { host: 'build' } } } as never
  await expect(planAll({ kind: 'worktree', also }, { cwd: '/srv' }, there)).rejects.toThrow('on build')
  expect(await room.workspaces.list({ sizes: false })).toEqual([])
})
