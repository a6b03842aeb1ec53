// A task in a worktree, from the start to the branch it came from, as a user does it at the command line, on the real codex.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import type { Task, Workspace } from '../../../src/api/index.ts'
import { lastUserText, type ModelRequest, message, shell, toolOutputs } from '../../../src/testing/index.ts'
import { git, makeGitRepo } from '../../support/git-repo.ts'
import { serviceStage } from '../../support/service-stage.ts'

/** Runs the commands of its prompt, one after the other. */
function script(request: ModelRequest) {
  const outputs = toolOutputs(request)
  const text = lastUserText(request)
  const commands = text.split(' ;; ')
  return outputs.length < commands.length ? shell(commands[outputs.length]!) : message('done')
}

const WRITING = ['--sandbox', 'workspace-write', '--approve', 'workspace', '--wait'] as const

it('a worktree is made, shown, committed to, applied and removed; what would be lost is asked for', async () => {
  const stage = await serviceStage((request) => {
    const [told] = toolOutputs(request)
    return told ? message('done') : shell(lastUserText(request))
  })
  const { cli, json } = stage
  const repo = makeGitRepo(path.join(stage.cwd, 'shop'), { 'a.txt': 'one\n', 'b.txt': 'bee\n' })
  const started = await cli(
    [
      'task',
      'start',
      ...WRITING,
      '--json',
      '--workspace',
      'worktree',
      'echo two >> a.txt; echo new > new.txt',
    ],
    { cwd: repo.path },
  )
  expect(started).toMatchObject({ code: 0 })
  const [task] = await json<Task[]>('task', 'list')
  const { id, cwd, workspace } = task!
  expect(workspace).toMatchObject({ kind: 'worktree', source: repo.path, from: 'main' })
  expect(cwd).not.toContain(repo.path)
  expect(repo.git('status', '--porcelain')).toBe('')

  const stat = await cli(['task', 'diff', id, '--stat'])
  expect(stat.stdout).toMatch(/modified +\+1 -0 +uncommitted a\.txt\nadded +\+1 -0 +uncommitted new\.txt\n/)
  const diff = await cli(['task', 'diff', id])
  expect(diff.stdout).toContain('+two')

  // The second turn alone.
  expect(await cli(['task', 'send', id, '--wait', 'echo second > second.txt'])).toMatchObject({ code: 0 })
  const turn = await cli(['task', 'diff', id, '--turn', '2'])
  expect(turn.stdout).toContain('second.txt')
  expect(turn.stdout).not.toContain('+two')

  expect(await cli(['task', 'apply', id])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('commit them first'),
  })
  expect(await cli(['task', 'commit', id, '-m', 'A word', '--file', 'a.txt'])).toMatchObject({ code: 0 })
  const lost = await cli(['task', 'discard', id])
  expect(lost).toMatchObject({ code: 2 })
  expect(lost.stderr).toContain('new.txt')
  expect(lost.stderr).toContain('A word')
  expect(await cli(['task', 'commit', id, '-m', 'The rest'])).toMatchObject({ code: 0 })
  expect(git(cwd, 'status', '--porcelain')).toBe('')

  // A change of the user's is in the way of one file, and another is not.
  repo.write('a.txt', 'mine\n')
  repo.write('b.txt', 'my own bee\n')
  const refused = await cli(['task', 'apply', id])
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('changes of yours in a.txt') })
  expect(repo.read('a.txt')).toBe('mine\n')
  repo.git('checkout', '-q', 'a.txt')
  expect(await cli(['task', 'apply', id])).toMatchObject({ code: 0 })
  expect([repo.read('a.txt'), repo.read('b.txt')]).toEqual(['one\ntwo\n', 'my own bee\n'])
  expect(repo.git('log', '--format=%an %s')).toBe('Ada The rest\nAda A word\nAda Begin')

  const [listed] = await json<Workspace[]>('workspace', 'list', '--sizes')
  expect(listed).toMatchObject({ id: workspace!.id, uncommitted: 0, unmerged: 0, state: 'ready' })
  expect(await cli(['workspace', 'clean'])).toMatchObject({ code: 0, stdout: `${workspace!.id}\n` })
  expect(existsSync(cwd)).toBe(false)
  expect(repo.git('branch', '--format=%(refname:short)')).toBe('main')
  expect(await cli(['task', 'send', id, '--wait', 'true'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('was removed'),
  })
}, 120_000)

it('two that may write do not meet in one folder; a fork has its own; codex commits where it may', async () => {
  const stage = await serviceStage(script)
  const { cli, json } = stage
  const repo = makeGitRepo(path.join(stage.cwd, 'shop'), { 'a.txt': 'one\n' })
  const first = await json<Task>(
    'task',
    'start',
    '--sandbox',
    'workspace-write',
    '--approve',
    'ask-all',
    '--cwd',
    repo.path,
    'sleep 60',
  )
  const at = (...more: string[]) => [
    'task',
    'start',
    '--cwd',
    repo.path,
    '--sandbox',
    'workspace-write',
    ...more,
  ]
  const refused = await cli(at('true'))
  expect(refused).toMatchObject({ code: 1 })
  expect(refused.stderr).toContain(first.id)
  expect(refused.stderr).toContain('--share-folder')
  await cli(['task', 'interrupt', first.id])

  const inside = 'echo two >> a.txt; git commit -qam inside; touch x'
  const common = path.join(repo.path, '.git')
  const before = facts(common)
  const places = [
    'hooks/post-commit',
    'config',
    'refs/heads/evil',
    'worktrees/*/commondir',
    'objects/info/alternates',
    'info/attributes',
  ]
  const attempt = `for f in ${places.join(' ')}; do sh -c "echo x >> ${common}/$f"; done; mv ${common}/worktrees ${common}/w; true`
  const done = await cli(
    at(
      '--approve',
      'workspace',
      '--workspace',
      'worktree',
      '--let-commit',
      '--wait',
      `${inside} ;; ${attempt}`,
    ),
  )
  expect(done).toMatchObject({ code: 0 })
  const [task] = await json<Task[]>('task', 'list')
  expect(git(task!.cwd, 'log', '--format=%s')).toBe('inside\nBegin')
  expect(facts(common)).toEqual(before)
  expect(repo.git('log', '--format=%s', 'main')).toBe('Begin')

  // From the state of the parent, uncommitted work included.
  expect(await cli(['task', 'fork', task!.id, '--wait', 'echo three > three.txt'])).toMatchObject({ code: 0 })
  const [forked] = await json<Task[]>('task', 'list')
  expect(forked!.cwd).not.toBe(task!.cwd)
  expect(git(forked!.cwd, 'log', '--format=%s')).toBe('inside\nBegin')
  expect(git(forked!.cwd, 'status', '--porcelain')).toBe('?? three.txt\n?? x')
  expect(existsSync(path.join(task!.cwd, 'three.txt'))).toBe(false)
}, 120_000)

/** What nobody but the user's own git may change. */
function facts(common: string) {
  const list = (name: string) => readdirSync(path.join(common, name)).sort()
  const text = (name: string) => readFileSync(path.join(common, name), 'utf8')
  return [
    list('hooks'),
    list('info'),
    list('objects/info'),
    list('refs/heads').filter((name) => name !== 'drawbridge'),
    text('config'),
  ]
}
