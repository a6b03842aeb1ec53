// A task is kept, its data deleted, and it goes on somewhere else: another folder, another machine's data folder, another
// CODEX_HOME. On the real codex.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import type { Snapshot, Task } from '../../../src/api/index.ts'
import { lastUserText, type ModelRequest, message, shell, toolOutputs } from '../../../src/testing/index.ts'
import { git, makeGitRepo } from '../../support/git-repo.ts'
import { serviceStage } from '../../support/service-stage.ts'

function script(request: ModelRequest) {
  const text = lastUserText(request)
  return toolOutputs(request).length > 0 || !text.startsWith('run ')
    ? message(`heard: ${text}`)
    : shell(text.slice(4))
}

const WRITING = ['--sandbox', 'workspace-write', '--approve', 'workspace', '--wait'] as const

it('a task in a worktree goes on from a snapshot: beside itself, and in another service with another home', async () => {
  const first = await serviceStage(script)
  const repo = makeGitRepo(path.join(first.cwd, 'shop'), { 'a.txt': 'one\n', 'src/b.txt': 'bee\n' })
  expect(
    await first.cli(
      ['task', 'start', ...WRITING, '--workspace', 'worktree', '--snapshot', 'end', 'run echo two >> b.txt'],
      { cwd: path.join(repo.path, 'src') },
    ),
  ).toMatchObject({ code: 0 })
  const [task] = await first.json<Task[]>('task', 'list')
  const { id, cwd } = task!
  expect(task).toMatchObject({ snapshots: 'end' })
  await expect
    .poll(() => first.json<Snapshot[]>('task', 'snapshots', id), { timeout: 30_000 })
    .toMatchObject([{ cause: 'end', state: 'ready', turnCount: 1, hasThread: true }])

  // By hand, with more in the folder, and as a file.
  const top = path.dirname(cwd)
  writeFileSync(path.join(top, 'open.txt'), 'not committed\n')
  symlinkSync('nowhere', path.join(top, 'link'))
  const out = path.join(first.cwd, 'shop.dbsnap')
  const taken = await first.cli(['task', 'snapshot', id, '--out', out, '--exclude', '*.tmp'])
  expect(taken).toMatchObject({ code: 0, stderr: expect.stringMatching(/^1\d files, /) })
  const snapshots = await first.json<Snapshot[]>('task', 'snapshots', id)
  expect(snapshots).toHaveLength(2)

  const beside = await first.json('task', 'restore', snapshots[0]!.id, '--title', 'Again')
  expect(beside).toMatchObject({
    status: 'idle',
    title: 'Again',
    restoredFrom: snapshots[0]!.id,
    forkedFrom: id,
  })
  expect(beside.threadId).not.toBe(task!.threadId)
  const again = path.dirname(beside.cwd)
  expect(readFileSync(path.join(again, 'src', 'b.txt'), 'utf8')).toBe('bee\ntwo\n')
  expect(git(again, 'status', '--porcelain')).toBe(' M src/b.txt\n?? link\n?? open.txt')
  expect(git(again, 'log', '--format=%s')).toBe('Begin')
  expect(await first.cli(['task', 'send', beside.id, '--wait', 'and now?'])).toMatchObject({ code: 0 })
  const request = first.model.requests.at(-1)!
  expect(JSON.stringify(request)).toContain('run echo two >> b.txt')
  expect(JSON.stringify(request)).toContain(`The working folder is now ${beside.cwd}`)
  const diff = await first.cli(['task', 'diff', beside.id])
  expect(diff.stdout).toContain('+two')

  // The first service, its thread and its repository are gone.
  await first.cli(['stop', '--kill'])
  rmSync(path.join(first.codexHome, 'sessions'), { recursive: true })
  rmSync(first.dataDir, { recursive: true })
  rmSync(repo.path, { recursive: true })
  const second = await serviceStage(script)
  const bad = path.join(second.cwd, 'cut.dbsnap')
  writeFileSync(bad, readFileSync(out).subarray(0, -100))
  expect(await second.cli(['task', 'restore', bad])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('cut short'),
  })
  expect(await second.json('task', 'snapshots')).toEqual([])
  const into = path.join(second.cwd, 'again')
  const restored = await second.cli([
    'task',
    'restore',
    out,
    '--into',
    into,
    '--sandbox',
    'workspace-write',
    'what was it?',
  ])
  expect(restored).toMatchObject({ code: 0, stderr: expect.stringContaining('sandbox workspace-write') })
  const [there] = await second.json<Task[]>('task', 'list')
  await second.cli(['task', 'wait', there!.id])
  expect(there).toMatchObject({ preset: 'ask-all', cwd: path.join(into, 'src'), forkedFrom: null })
  expect(readdirSync(into).sort()).toEqual(['.git', 'a.txt', 'link', 'open.txt', 'src'])
  const seen = JSON.stringify(second.model.requests.at(-1))
  expect(seen).toContain('run echo two >> b.txt')
  expect(seen).toContain('continues from a snapshot')
  expect(await second.cli(['task', 'send', there!.id, '--wait', 'once more'])).toMatchObject({ code: 0 })
  expect(lastUserText(second.model.requests.at(-1)!)).toBe('once more')
  expect(await second.cli(['task', 'restore', out, '--into', into])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('is not empty'),
  })
  expect(existsSync(path.join(second.codexHome, 'auth.json'))).toBe(false)
}, 120_000)

it('a task in a folder of the user is kept after every second turn, encrypted; the folder is not touched', async () => {
  const { cli, json, cwd, dataDir } = await serviceStage(script)
  const secret = 'a line that must not be on disk'
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const settings = { workspaces: { snapshots: { encrypt: true, keep: 2, exclude: ['*.tmp'] } } }
  writeFileSync(path.join(dataDir, 'settings.json'), JSON.stringify(settings), { mode: 0o600 })
  writeFileSync(path.join(cwd, 'note.txt'), secret.repeat(20))
  writeFileSync(path.join(cwd, 'x.tmp'), 'left out')
  const started = await cli(['task', 'start', '--keep-open', '--wait', '--snapshot', 'turns:2', 'first'])
  expect(started).toMatchObject({ code: 0 })
  const [task] = await json<Task[]>('task', 'list')
  for (const text of ['second', 'third', 'fourth', 'fifth', 'sixth'])
    expect(await cli(['task', 'send', task!.id, '--wait', text])).toMatchObject({ code: 0 })
  const list = () => json<Snapshot[]>('task', 'snapshots', task!.id)
  await expect
    .poll(async () => (await list()).map(({ turnCount, state }) => `${turnCount} ${state}`), {
      timeout: 30_000,
    })
    .toEqual(['6 ready', '4 ready'])
  const [newest] = await list()
  expect(newest).toMatchObject({ isEncrypted: true, leftOutCount: 1, cause: 'turns' })
  const store = path.join(dataDir, 'snapshots')
  const files = readdirSync(store, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const bytes = files.map((entry) => readFileSync(path.join(entry.parentPath, entry.name)).toString('latin1'))
  expect(bytes.some((text) => text.includes(secret) || text.includes(task!.threadId!))).toBe(false)
  const restored = await json('task', 'restore', newest!.id, 'and on')
  await cli(['task', 'wait', restored.id])
  expect(restored.cwd).not.toBe(cwd)
  expect(readdirSync(restored.cwd)).toEqual(['note.txt'])
  expect(readdirSync(cwd).sort()).toEqual(['note.txt', 'x.tmp'])
  expect(await cli(['task', 'restore', newest!.id, '--host', 'gpu'])).toMatchObject({ code: 1 })
}, 120_000)
