// What a repository, or what ran in a workspace, can make git run: none of it runs.
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { git, makeGitRepo } from '../../test/support/git-repo.ts'
import { stagedRoom } from '../../test/support/staged-room.ts'
import { localMachine } from '../hosts/index.ts'
import { Git } from './git/run-git.ts'

const HOOKS = [
  ...[
    'post-checkout',
    'post-merge',
    'pre-commit',
    'commit-msg',
    'prepare-commit-msg',
    'post-commit',
    'pre-merge-commit',
  ],
  ...[
    'reference-transaction',
    'post-index-change',
    'pre-rebase',
    'post-rewrite',
    'applypatch-msg',
    'fsmonitor-watchman',
  ],
]

/** Everything that could run says so in a file. */
function trapped(place: string) {
  const repo = makeGitRepo(place, {
    'a.txt': 'one\n',
    '.gitattributes':
      '*.txt filter=evil diff=evil merge=evil\n*.bin filter=proc\nh.one filter=onbranch\nh.two filter=placed\n',
    ...{ 'x.bin': 'bin\n', 'h.one': 'one\n', 'h.two': 'two\n' },
  })
  const ran = path.join(place, '..', 'ran')
  mkdirSync(ran)
  const trap = (name: string) => `touch ${ran}/${name}; cat; true`
  trapGit(path.join(place, '.git'), trap, repo.git)
  return { repo, ranFolder: ran, trap }
}

function trapGit(gitDir: string, trap: (name: string) => string, run: (...args: string[]) => string) {
  mkdirSync(path.join(gitDir, 'hooks'), { recursive: true })
  for (const hook of HOOKS) {
    const file = path.join(gitDir, 'hooks', hook)
    writeFileSync(file, `#!/bin/sh\n${trap(`hook-${hook}`)} </dev/null\n`)
    chmodSync(file, 0o755)
  }
  const config: Record<string, string> = {
    'core.fsmonitor': trap('fsmonitor'),
    'core.hooksPath': path.join(gitDir, 'hooks'),
    'core.sshCommand': trap('ssh'),
    'core.pager': trap('pager'),
    'core.editor': trap('editor'),
    'filter.evil.clean': trap('clean'),
    'filter.evil.smudge': trap('smudge'),
    'filter.evil.required': 'true',
    'filter.proc.process': trap('process'),
    'diff.evil.textconv': trap('textconv'),
    'diff.evil.command': trap('diff-command'),
    'diff.external': trap('diff-external'),
    'merge.evil.driver': trap('merge-driver'),
    'commit.gpgSign': 'true',
    'gpg.program': path.join(gitDir, 'hooks', 'post-commit'),
    'core.alternateRefsCommand': trap('alternate-refs'),
    'credential.helper': `!${trap('credential')}`,
    'uploadpack.packObjectsHook': trap('pack-objects'),
  }
  // Configuration that holds only on the branch, or only in the folder, of a worktree that does not exist yet.
  const conditions = { onbranch: 'onbranch:drawbridge/**', placed: 'gitdir:**/worktrees/**' }
  for (const [name, condition] of Object.entries(conditions)) {
    const lines = ['smudge', 'clean'].map((way) => `\t${way} = "${trap(`${name}-${way}`)}"\n`)
    writeFileSync(path.join(gitDir, `${name}.inc`), `[filter "${name}"]\n${lines.join('')}`)
    config[`includeIf.${condition}.path`] = `${name}.inc`
  }
  for (const [key, value] of Object.entries(config)) run('config', key, value)
}

it('a repository with traps everywhere: from the start of a task to its merge, its clone and its removal', async () => {
  const { room, folder } = await stagedRoom()
  const { repo, ranFolder, trap } = trapped(path.join(folder, 'evil', 'repo'))
  const ran = () => readdirSync(ranFolder)
  const { workspaces } = room
  const one = await room.start({ kind: 'worktree' }, repo.path)
  writeFileSync(path.join(one.cwd, 'a.txt'), 'one\ntwo\n')
  writeFileSync(path.join(one.cwd, 'y.bin'), 'more\n')
  // As a command in the sandbox could: repositories inside of the workspace, with traps of their own, also where git has one.
  for (const name of ['inner', 'inner/deeper']) {
    const inner = makeGitRepo(path.join(one.cwd, name), { 'i.txt': 'i\n' })
    trapGit(path.join(inner.path, '.git'), trap, inner.git)
    inner.write('i.txt', 'changed\n')
  }
  // They do go off, for a git that is not careful.
  for (const place of [one.cwd, path.join(one.cwd, 'inner')]) git(place, 'status', '--porcelain')
  expect(readdirSync(ranFolder)).toEqual(
    expect.arrayContaining(['fsmonitor', 'hook-post-index-change', 'process']),
  )
  rmSync(ranFolder, { recursive: true })
  mkdirSync(ranFolder)
  expect((await workspaces.show(one.id)).work.files.map(({ path: name }) => name)).toEqual([
    'a.txt',
    'y.bin',
    'inner/',
  ])
  await workspaces.diff(one.id, {})
  await workspaces.prepare({ ...one, turn_count: 1 })
  await workspaces.commit(one.id, { message: 'work' })
  // Both sides change: a real merge, with the attributes of the repository.
  git(
    repo.path,
    '-c',
    'core.hooksPath=/dev/null',
    '-c',
    'core.fsmonitor=false',
    '-c',
    'commit.gpgSign=false',
    '-c',
    'filter.evil.clean=',
    '-c',
    'filter.evil.required=false',
    '-c',
    'filter.proc.process=',
    'commit',
    '-q',
    '--allow-empty',
    '-m',
    'other',
  )
  rmSync(ranFolder, { recursive: true })
  mkdirSync(ranFolder)
  await workspaces.apply(one.id, { method: 'merge' })
  expect(repo.read('a.txt')).toBe('one\ntwo\n')
  const fork = await room.fork(one)
  writeFileSync(path.join(fork.cwd, 'f.txt'), 'f\n')
  await workspaces.apply(fork.id, { method: 'patch' })
  expect(repo.read('f.txt')).toBe('f\n')
  const clone = await room.start({ kind: 'clone', source: repo.path }, repo.path)
  trapGit(path.join(clone.cwd, '.git'), trap, (...args) => git(clone.cwd, ...args))
  writeFileSync(path.join(clone.cwd, 'c.txt'), 'c\n')
  await workspaces.commit(clone.id, { message: 'clone' })
  await workspaces.apply(clone.id, { method: 'rebase' })
  expect(repo.read('c.txt')).toBe('c\n')
  await workspaces.list({ sizes: false })
  const { id } = JSON.parse(one.workspace!) as { id: string }
  await workspaces.remove(id, { confirm: id })
  expect(ran()).toEqual([])
})

it('a repository that allows a transport itself makes git use none', async () => {
  const { folder } = await stagedRoom()
  const repo = makeGitRepo(path.join(folder, 'repo'), { 'a.txt': 'one\n' })
  repo.git('config', 'protocol.ext.allow', 'always')
  const ran = path.join(folder, 'ran')
  const far = new Git(
    localMachine({ env: { PATH: process.env.PATH }, hidden: '/nowhere', work: '/nowhere' }),
  ).run({ gitDir: path.join(repo.path, '.git') }, ['ls-remote', `ext::touch ${ran}`])
  await expect(far).rejects.toMatchObject({ message: expect.stringContaining("transport 'ext' not allowed") })
  expect(existsSync(ran)).toBe(false)
})

it('a repository whose configuration says that its files are elsewhere changes nothing there', async () => {
  const { room, folder } = await stagedRoom()
  const repo = makeGitRepo(path.join(folder, 'repo'), { 'a.txt': 'one\n' })
  const home = path.join(folder, 'somewhere')
  mkdirSync(home)
  writeFileSync(path.join(home, 'a.txt'), 'a file of the user\n')
  repo.git('config', 'core.worktree', home)
  const one = await room.start({ kind: 'worktree' }, repo.path)
  writeFileSync(path.join(one.cwd, 'a.txt'), 'changed\n')
  writeFileSync(path.join(one.cwd, '.profile'), 'evil\n')
  await room.workspaces.commit(one.id, { message: 'work' })
  await room.workspaces.apply(one.id, { method: 'merge' })
  expect([repo.read('a.txt'), readFileSync(path.join(home, 'a.txt'), 'utf8')]).toEqual([
    'changed\n',
    'a file of the user\n',
  ])
  expect(readdirSync(home)).toEqual(['a.txt'])
})

it('a pipe or a link that commands put where git keeps its own is not waited for, and not followed', async () => {
  const { room, folder } = await stagedRoom()
  const repo = makeGitRepo(path.join(folder, 'repo'), { 'a.txt': 'one\n' })
  const { id, cwd } = await room.start({ kind: 'worktree', commits: true }, repo.path)
  writeFileSync(path.join(cwd, 'a.txt'), 'two\n')
  const gitDir = path.join(repo.path, '.git')
  const log = path.join(gitDir, 'logs', 'refs', 'heads', 'drawbridge', path.basename(cwd), 'work')
  rmSync(log)
  const outside = path.join(folder, 'outside')
  writeFileSync(outside, '')
  symlinkSync(outside, log)
  await expect(room.workspaces.commit(id, { message: 'x' })).rejects.toMatchObject({ code: 'git-failed' })
  expect(readFileSync(outside, 'utf8')).toBe('')
  const head = path.join(gitDir, 'worktrees', path.basename(cwd), 'HEAD')
  rmSync(head)
  execFileSync('mkfifo', [head])
  expect((await room.workspaces.show(id)).work.otherBranch).toBe('no branch')
})

it('links and odd names in a workspace lead nowhere else', async () => {
  const { room, folder } = await stagedRoom()
  const repo = makeGitRepo(path.join(folder, 'repo'), { 'a.txt': 'one\n', 'dir/in.txt': 'in\n' })
  const outside = path.join(folder, 'outside')
  mkdirSync(outside)
  const one = await room.start({ kind: 'worktree' }, repo.path)
  rmSync(path.join(one.cwd, 'dir'), { recursive: true })
  symlinkSync(outside, path.join(one.cwd, 'dir'))
  writeFileSync(path.join(one.cwd, '--help'), 'x\n')
  writeFileSync(path.join(one.cwd, ':(glob)*'), 'x\n')
  writeFileSync(path.join(one.cwd, 'new\nline'), 'x\n')
  const { work } = await room.workspaces.show(one.id)
  expect(work.files.map(({ path: name }) => name).sort()).toEqual([
    '--help',
    ':(glob)*',
    'dir',
    'dir/in.txt',
    'new\nline',
  ])
  expect((await room.workspaces.diff(one.id, { paths: [':(glob)*'] })).text.match(/^diff /gm)).toHaveLength(1)
  await room.workspaces.commit(one.id, { message: 'odd', files: ['--help'] })
  await room.workspaces.apply(one.id, { method: 'patch' })
  expect(readdirSync(outside)).toEqual([])
  for (const source of [
    'ext::sh -c true',
    '-oProxyCommand=x:y',
    'https://me:secret@example.org/x.git',
    'fd::3',
  ])
    await expect(
      room.workspaces.plan({ kind: 'clone', source }, { cwd: repo.path }),
      source,
    ).rejects.toMatchObject({ code: 'bad-request' })
  for (const branch of ['--force', 'a..b', 'x.lock', '@{-1}', 'main'])
    await expect(
      room.workspaces.plan({ kind: 'worktree', branch }, { cwd: repo.path }),
      branch,
    ).rejects.toMatchObject({ code: 'bad-request' })
})
