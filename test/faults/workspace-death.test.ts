// The service dies at each step of what it does with a workspace: nothing is half done afterwards, and no work is lost.
import { execFile } from 'node:child_process'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { openDatabase, workspaceOfTask, workspacesOfTask } from '../../src/store/index.ts'
import { makeWorkspace } from '../../src/testing/index.ts'
import { openRoom } from '../../src/workspaces/fixtures/room.ts'
import { git, makeGitRepo } from '../support/git-repo.ts'

const PROGRAM = fileURLToPath(new URL('../../src/workspaces/fixtures/die-at.ts', import.meta.url))

async function stage() {
  const folder = await makeWorkspace()
  onTestFinished(() => folder.remove())
  const repo = makeGitRepo(path.join(folder.path, 'shop'), { 'a.txt': 'one\n' })
  const dataDir = path.join(folder.path, 'data')
  /** As a service that has the store for so long. */
  async function during<T>(
    work: (
      room: ReturnType<typeof openRoom>,
      db: Awaited<ReturnType<typeof openDatabase>>['db'],
    ) => Promise<T>,
  ) {
    const store = await openDatabase({ dataDir, now: Date.now })
    const room = openRoom(store, { dataDir })
    await room.workspaces.open()
    try {
      return await work(room, store.db)
    } finally {
      await room.workspaces.close()
      await store.close()
    }
  }
  async function dieAt(taskId: string, act: string, step: string) {
    const died = promisify(execFile)(process.execPath, [PROGRAM, dataDir, taskId, act, step])
    await expect(died).rejects.toMatchObject({ signal: 'SIGKILL' })
  }
  return { repo, during, dieAt, root: `${dataDir}-workspaces`, records: path.join(dataDir, 'workspaces') }
}

const worktrees = (repo: { git(...args: string[]): string }) =>
  repo.git('worktree', 'list', '--porcelain').split('\n\n').length

it.each([
  ['worktree', ['making', 'branch-made', 'worktree-added', 'history-made']],
  ['clone', ['cloned', 'clone-named']],
] as const)('a %s that was being made is made, once', async (kind, steps) => {
  const { repo, during, dieAt, root } = await stage()
  const request = kind === 'worktree' ? { kind } : { kind, source: repo.path }
  const { id, cwd } = await during((room) => room.add(request, repo.path))
  for (const step of steps) await dieAt(id, 'make', step)
  await during(async ({ workspaces, task }, db) => {
    await workspaces.prepare(await task(id))
    expect(await workspaceOfTask(db, id)).toMatchObject({ state: 'ready', problem: null })
    expect(git(cwd, 'status', '--porcelain')).toBe('')
    expect(readdirSync(root)).toEqual([path.basename(cwd)])
    expect(worktrees(repo)).toBe(kind === 'worktree' ? 2 : 1)
  })
})

it('of several repositories all are made, once', async () => {
  const { repo, during, dieAt, root } = await stage()
  const lib = makeGitRepo(path.join(path.dirname(repo.path), 'lib'), { 'l.txt': 'lib\n' })
  const request = { kind: 'worktree', also: [{ source: lib.path }] } as const
  const { id } = await during((room) => room.add(request, repo.path))
  // The first is made; the second is killed while it is.
  for (const step of ['worktree-added', 'made', 'worktree-added']) await dieAt(id, 'make', step)
  await during(async ({ workspaces, task }, db) => {
    await workspaces.prepare(await task(id))
    const rows = await workspacesOfTask(db, id)
    expect(rows.map(({ state }) => state)).toEqual(['ready', 'ready'])
    expect(readdirSync(root).sort()).toEqual(rows.map((row) => row.id).sort())
    expect([worktrees(repo), worktrees(lib)]).toEqual([2, 2])
    for (const { folder } of rows) expect(git(folder, 'status', '--porcelain')).toBe('')
  })
})

it('one that was never needed is taken back whole', async () => {
  const { repo, during, dieAt, root } = await stage()
  const { id } = await during((room) => room.add({ kind: 'worktree' }, repo.path))
  await dieAt(id, 'make', 'worktree-added')
  await during(async ({ workspaces }) => {
    expect((await workspaces.clean({ before: Date.now() + 1, isDry: false })).kept).toEqual([])
  })
  expect([readdirSync(root), worktrees(repo), repo.git('branch', '--format=%(refname:short)')]).toEqual([
    [],
    1,
    'main',
  ])
})

it('a commit and an apply are done or not done; the work is there in either case', async () => {
  const { repo, during, dieAt } = await stage()
  const { id, cwd } = await during((room) => room.start({ kind: 'worktree' }, repo.path))
  writeFileSync(path.join(cwd, 'a.txt'), 'one\ntwo\n')
  repo.write('mine.txt', 'not committed\n')
  for (const step of ['commit-made', 'commit-copied']) {
    await dieAt(id, 'commit', step)
    expect(git(cwd, 'log', '--format=%s')).toBe('Begin')
    expect(git(cwd, 'status', '--porcelain')).toBe(' M a.txt')
  }
  await dieAt(id, 'commit', 'branch-moved')
  expect(git(cwd, 'log', '--format=%s')).toBe('the work\nBegin')
  for (const step of ['apply-computed', 'apply-copied']) {
    await dieAt(id, 'apply', step)
    expect([repo.git('log', '--format=%s'), repo.git('status', '--porcelain')]).toEqual([
      'Begin',
      '?? mine.txt',
    ])
  }
  await dieAt(id, 'apply', 'applied')
  expect([repo.git('log', '--format=%s'), repo.git('status', '--porcelain')]).toEqual([
    'the work\nBegin',
    '?? mine.txt',
  ])
  await during(async ({ workspaces }) => {
    expect((await workspaces.show(id)).work).toMatchObject({ isMerged: true, uncommitted: [] })
  })
  expect(repo.git('fsck', '--no-dangling')).toBe('')
})

it('a removal is finished by the next start; a branch with commits of its own stays', async () => {
  const { repo, during, dieAt, root, records } = await stage()
  for (const step of ['removing', 'moved-away', 'forgotten', 'branch-deleted']) {
    const { id, cwd, workspace } = await during(async (room) => {
      const task = await room.start({ kind: 'worktree' }, repo.path)
      writeFileSync(path.join(task.cwd, 'b.txt'), 'bee\n')
      // Never the same commit as in the round before, in the same second: that one would be on two branches.
      await room.workspaces.commit(task.id, { message: `unmerged at ${step}` })
      return task
    })
    const { branch } = JSON.parse(workspace!) as { branch: string }
    await dieAt(id, 'remove', step)
    await during(async (_, db) => {
      expect(await workspaceOfTask(db, id)).toMatchObject({ state: 'removed' })
    })
    expect([existsSync(cwd), worktrees(repo)]).toEqual([false, 1])
    expect(repo.git('log', '-1', '--format=%s', branch)).toBe(`unmerged at ${step}`)
  }
  expect([readdirSync(root), readdirSync(records)]).toEqual([[], []])
})
