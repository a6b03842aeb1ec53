// What becomes of the work, on both databases; and many workspaces of one repository at once.
import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { git, makeGitRepo } from '../../test/support/git-repo.ts'
import { STORES } from '../../test/support/stores.ts'
import { makeWorkspace } from '../testing/index.ts'
import { openRoom } from './fixtures/room.ts'

async function stage(make: (typeof STORES)[number]['make'] = STORES[0].make) {
  const folder = await makeWorkspace()
  onTestFinished(() => folder.remove())
  const store = await (await make()).open()
  const dataDir = path.join(folder.path, 'data')
  const room = openRoom(store, { dataDir })
  onTestFinished(async () => {
    await room.workspaces.close()
    await store.close()
  })
  const repo = makeGitRepo(path.join(folder.path, 'shop'), { 'a.txt': 'one\n', 'b.txt': 'bee\n' })
  return { room, repo, root: `${dataDir}-workspaces`, records: path.join(dataDir, 'workspaces') }
}

describe.each(STORES)('on $name', ({ make }) => {
  it('work is compared, merged, rebased or given as a patch; a conflict changes nothing', async () => {
    const { room, repo } = await stage(make)
    const { workspaces } = room
    const [merge, rebase, patch, conflict] = await Promise.all([
      room.start({ kind: 'worktree' }, repo.path),
      room.start({ kind: 'worktree', branch: 'feature', from: 'main' }, repo.path),
      room.start({ kind: 'clone', source: repo.path }, repo.path),
      room.start({ kind: 'clone', source: repo.path, from: 'main' }, repo.path),
    ])
    for (const [task, name, text] of [
      [merge, 'm.txt', 'merged\n'],
      [rebase, 'r.txt', 'rebased\n'],
      [patch, 'p.txt', 'patched\n'],
      [conflict, 'a.txt', 'theirs\n'],
    ] as const)
      writeFileSync(path.join(task.cwd, name), text)
    for (const task of [merge, rebase, conflict])
      await workspaces.commit(task.id, { message: `of ${task.cwd.slice(-3)}` })
    repo.write('a.txt', 'ours\n')
    repo.git('commit', '-qam', 'ours')
    repo.write('b.txt', 'not committed\n')

    expect(await workspaces.apply(merge.id, { method: 'merge' })).toMatchObject({
      branch: 'main',
      files: ['m.txt'],
    })
    expect(repo.git('log', '-1', '--format=%s %P').split(' ')).toHaveLength(7)
    expect(await workspaces.apply(rebase.id, { method: 'rebase' })).toMatchObject({
      branch: 'main',
      files: ['r.txt'],
    })
    expect(repo.git('log', '-1', '--format=%P').split(' ')).toHaveLength(1)
    expect(await workspaces.apply(patch.id, { method: 'patch' })).toMatchObject({
      branch: null,
      files: ['p.txt'],
    })
    const before = [repo.git('rev-parse', 'HEAD'), repo.git('status', '--porcelain')]
    await expect(workspaces.apply(conflict.id, { method: 'merge' })).rejects.toMatchObject({
      code: 'apply-conflict',
      details: { conflicts: ['a.txt'], messages: [expect.any(String), expect.stringContaining('CONFLICT')] },
    })
    expect([repo.git('rev-parse', 'HEAD'), repo.git('status', '--porcelain')]).toEqual(before)
    expect(before[1]).toBe(' M b.txt\n?? p.txt')

    const left = (await workspaces.clean({ before: Date.now() + 1, isDry: false })).kept.map(({ id }) => id)
    expect(left.sort()).toEqual([patch, conflict].map(({ cwd }) => path.basename(cwd)).sort())
    expect(repo.git('branch', '--format=%(refname:short)')).toBe('main')
    const agreed = (await workspaces.show(patch.id)).work.seen
    writeFileSync(path.join(patch.cwd, 'later.txt'), 'later\n')
    await expect(workspaces.discard(patch.id, { seen: agreed })).rejects.toMatchObject({
      code: 'workspace-unmerged',
    })
    expect(existsSync(patch.cwd)).toBe(true)
    await workspaces.discard(patch.id, { confirm: path.basename(patch.cwd) })
    expect(existsSync(patch.cwd)).toBe(false)
  })
})

it('scratch is removed when its task is completed, and is there again when it goes on', async () => {
  const { room, repo, root } = await stage()
  const { workspaces } = room
  const kept = await room.start({ kind: 'scratch', keep: true }, repo.path)
  const gone = await room.start({ kind: 'scratch' }, repo.path)
  for (const { cwd, id } of [kept, gone]) {
    writeFileSync(path.join(cwd, 'x'), 'x')
    workspaces.ended(await room.task(id))
  }
  await expect.poll(() => readdirSync(root)).toEqual([path.basename(kept.cwd)])
  await expect.poll(async () => (await workspaces.list({ sizes: false })).length).toBe(1)
  await workspaces.prepare(await room.task(gone.id))
  expect(readdirSync(gone.cwd)).toEqual([])
})

it('scratch stays when its task goes on before it could be removed', async () => {
  const { room, repo, root } = await stage()
  const { id, cwd } = await room.start({ kind: 'scratch' }, repo.path)
  const ended = await room.task(id)
  await room.setStatus(id, 'queued')
  room.workspaces.ended(ended)
  await room.workspaces.list({ sizes: false })
  await room.workspaces.close()
  expect(readdirSync(root)).toEqual([path.basename(cwd)])
})

it('ignored files, submodules, and stashes and branches of a clone are work that is nowhere else', async () => {
  const { room, repo } = await stage()
  const { workspaces } = room
  repo.write('.gitignore', 'node_modules\n.env\nvendor/\n')
  repo.git('add', '-A')
  repo.git('update-index', '--add', '--cacheinfo', `160000,${repo.git('rev-parse', 'HEAD')},sub`)
  repo.git('commit', '-qm', 'submodule')
  const { id, cwd } = await room.start({ kind: 'worktree' }, repo.path)
  const clone = await room.start({ kind: 'clone', source: repo.path }, repo.path)
  for (const name of ['.env', 'node_modules/x', 'vendor/x', 'sub/x']) {
    mkdirSync(path.dirname(path.join(cwd, name)), { recursive: true })
    writeFileSync(path.join(cwd, name), 'x')
  }
  const shown = (await workspaces.show(id)).work.uncommitted.map(({ path: name, change }) => [name, change])
  expect(shown).toEqual([
    ['sub/', 'repository'],
    ['.env', 'ignored'],
    ['vendor/', 'ignored'],
  ])
  git(clone.cwd, 'switch', '-qc', 'aside')
  git(clone.cwd, '-c', 'user.name=A', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'aside')
  writeFileSync(path.join(clone.cwd, 'a.txt'), 'stashed')
  git(clone.cwd, '-c', 'user.name=A', '-c', 'user.email=a@b', 'stash', '-q')
  git(clone.cwd, 'switch', '-q', JSON.parse(clone.workspace!).branch)
  const { work } = await workspaces.show(clone.id)
  expect(work).toMatchObject({ isMerged: false, uncommitted: [] })
  expect(work.commits.map(({ subject }) => subject).sort()).toEqual([
    `WIP on aside: ${git(clone.cwd, 'log', '-1', '--format=%h aside', 'aside')}`,
    'aside',
    `index on aside: ${git(clone.cwd, 'log', '-1', '--format=%h aside', 'aside')}`,
  ])
  for (const task of [id, clone.id])
    await expect(workspaces.discard(task, {})).rejects.toMatchObject({ code: 'workspace-unmerged' })
  expect((await workspaces.clean({ before: Date.now() + 1, isDry: false })).removed).toEqual([])
})

it('what cannot be looked at is removed by its name alone', async () => {
  const { room, repo, root } = await stage()
  const { workspaces } = room
  const { cwd } = await room.start({ kind: 'worktree', branch: 'feature' }, repo.path)
  writeFileSync(path.join(cwd, 'x'), 'x')
  repo.git('branch', '-m', 'feature', 'renamed')
  const clean = () => workspaces.clean({ before: Date.now() + 1, isDry: false })
  expect(await clean()).toMatchObject({ removed: [], kept: [{ why: expect.stringContaining('is gone') }] })
  renameSync(root, `${root}-unmounted`)
  expect(await clean()).toMatchObject({ removed: [], kept: [{ why: expect.stringContaining('mounted') }] })
  renameSync(`${root}-unmounted`, root)
  await workspaces.remove(path.basename(cwd), { confirm: path.basename(cwd) })
  expect([existsSync(cwd), repo.git('branch', '--format=%(refname:short)')]).toEqual([false, 'main\nrenamed'])
})

it('a branch that the user made before the one of the task could be made is the user’s', async () => {
  const { room, repo } = await stage()
  const { workspaces } = room
  const [tried, never] = [
    await room.add({ kind: 'worktree', branch: 'feature' }, repo.path),
    await room.add({ kind: 'worktree', branch: 'other' }, repo.path),
  ]
  repo.git('branch', 'other')
  repo.git('switch', '-q', '-c', 'feature')
  for (let attempt = 0; attempt < 2; attempt++)
    await expect(workspaces.prepare(tried)).rejects.toMatchObject({ code: 'branch-moved' })
  for (const { cwd } of [tried, never]) await workspaces.remove(path.basename(cwd), {})
  expect(repo.git('branch', '--format=%(refname:short)')).toBe('feature\nmain\nother')
})

it('nobody commits, applies or removes while the task works', async () => {
  const { room, repo } = await stage()
  const { workspaces } = room
  const { id, cwd } = await room.start({ kind: 'worktree' }, repo.path)
  writeFileSync(path.join(cwd, 'x'), 'x')
  await room.setStatus(id, 'working')
  const busy = { code: 'workspace-busy', details: { taskId: id, status: 'working' } }
  await expect(workspaces.commit(id, { message: 'x' })).rejects.toMatchObject(busy)
  await expect(workspaces.apply(id, { method: 'patch' })).rejects.toMatchObject(busy)
  await expect(workspaces.discard(id, { confirm: path.basename(cwd) })).rejects.toMatchObject(busy)
  expect((await workspaces.show(id)).work.files).toHaveLength(1)
})

it('fifty worktrees of one repository at once, beside a user who commits there', async () => {
  const { room, repo, root, records } = await stage()
  const { workspaces } = room
  const numbers = Array.from({ length: 50 }, (_, number) => number)
  const tasks = await Promise.all(numbers.map(() => room.start({ kind: 'worktree' }, repo.path)))
  repo.write('b.txt', 'of the user\n')
  repo.git('commit', '-qam', 'of the user')
  await Promise.all(
    tasks.map(async ({ id, cwd }, number) => {
      writeFileSync(path.join(cwd, `${number}.txt`), `${number}\n`)
      if (number % 10 === 0) await workspaces.commit(id, { message: `commit ${number}` })
    }),
  )
  const listed = await workspaces.list({ sizes: false })
  const lost = tasks.map(({ cwd }) => listed.find(({ row }) => row.folder === cwd)?.loss)
  expect(lost.map((loss) => loss?.files)).toEqual(numbers.map((n) => (n % 10 === 0 ? [] : [`${n}.txt`])))
  const some = tasks.filter((_, number) => number % 10 === 0)
  await Promise.all(some.map(({ id }) => workspaces.apply(id, { method: 'rebase' })))
  expect(repo.git('log', '--format=%s', '-5').split('\n').sort()).toEqual(
    [0, 10, 20, 30, 40].map((n) => `commit ${n}`),
  )
  await Promise.all(
    tasks.map(({ cwd }) =>
      workspaces.remove(path.basename(cwd), { confirm: path.basename(cwd), branch: true }),
    ),
  )
  expect([readdirSync(root), readdirSync(records)]).toEqual([[], []])
  expect(repo.git('worktree', 'list', '--porcelain').split('\n\n')).toHaveLength(1)
  expect([repo.git('branch', '--format=%(refname:short)'), repo.git('status', '--porcelain')]).toEqual([
    'main',
    '',
  ])
  expect(git(repo.path, 'fsck', '--no-dangling')).toBe('')
}, 120_000)
