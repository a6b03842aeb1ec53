import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { projectRoot } from './project-root.ts'

function scratch(): string {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'root-')))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

function git(cwd: string, ...args: string[]): void {
  const config = ['-c', 'user.name=t', '-c', 'user.email=t@t', '-c', 'protocol.file.allow=always']
  execFileSync('git', [...config, ...args], { cwd, stdio: 'pipe' })
}

function repository(folder: string): string {
  mkdirSync(folder, { recursive: true })
  git(folder, 'init', '-q')
  git(folder, 'commit', '-q', '--allow-empty', '-m', 'x')
  return folder
}

function below(folder: string, ...names: string[]): string {
  const inner = path.join(folder, ...names)
  mkdirSync(inner, { recursive: true })
  return inner
}

describe('projectRoot', () => {
  it('is the folder itself outside of any repository', () => {
    const folder = below(scratch(), 'plain')
    expect(projectRoot(folder)).toBe(folder)
  })

  it('is the top of the repository, however deep the folder', () => {
    const top = repository(path.join(scratch(), 'repo'))
    expect(projectRoot(top)).toBe(top)
    expect(projectRoot(below(top, ...'abcdefghijklmnop'))).toBe(top)
    expect(projectRoot(path.join(top, '.git', 'hooks'))).toBe(top)
  })

  it('is found through symlinks, to the top and into the middle', () => {
    const place = scratch()
    const top = repository(path.join(place, 'repo'))
    symlinkSync(top, path.join(place, 'link'))
    symlinkSync(below(top, 'a', 'b'), path.join(place, 'inner'))
    expect(projectRoot(path.join(place, 'link', 'a'))).toBe(top)
    expect(projectRoot(path.join(place, 'inner'))).toBe(top)
  })

  it('of a linked worktree is the main repository, from a sub-folder and a symlink too', () => {
    const place = scratch()
    const top = repository(path.join(place, 'repo'))
    git(top, 'worktree', 'add', '-q', path.join(place, 'tree'))
    symlinkSync(path.join(place, 'tree'), path.join(place, 'link'))
    for (const folder of ['tree', 'tree/a/b', 'link']) {
      expect(projectRoot(below(place, folder))).toBe(top)
    }
  })

  it('of a linked worktree with relative paths is the main repository', () => {
    const place = scratch()
    const top = repository(path.join(place, 'repo'))
    git(top, 'worktree', 'add', '-q', path.join(place, 'tree'))
    writeFileSync(path.join(place, 'tree', '.git'), 'gitdir: ../repo/.git/worktrees/tree\n')
    writeFileSync(path.join(top, '.git/worktrees/tree/gitdir'), '../../../../tree/.git\n')
    expect(projectRoot(path.join(place, 'tree'))).toBe(top)
  })

  it('of a submodule is its own', () => {
    const place = scratch()
    repository(path.join(place, 'library'))
    const top = repository(path.join(place, 'repo'))
    git(top, 'submodule', 'add', '-q', path.join(place, 'library'), 'deps/library')
    expect(projectRoot(path.join(top, 'deps/library'))).toBe(path.join(top, 'deps/library'))
    expect(projectRoot(path.join(top, 'deps'))).toBe(top)
  })

  it('of a bare repository and its worktrees is each folder itself', () => {
    const place = scratch()
    const top = repository(path.join(place, 'repo'))
    git(place, 'clone', '-q', '--bare', top, 'bare.git')
    git(path.join(place, 'bare.git'), 'worktree', 'add', '-q', '--detach', path.join(place, 'tree'))
    expect(projectRoot(path.join(place, 'bare.git'))).toBe(path.join(place, 'bare.git'))
    expect(projectRoot(path.join(place, 'tree'))).toBe(path.join(place, 'tree'))
  })

  it('does not believe a folder that says it is a worktree of another repository', () => {
    const place = scratch()
    const trusted = repository(path.join(place, 'trusted'))
    git(trusted, 'worktree', 'add', '-q', path.join(place, 'tree'))
    const hostile = below(place, 'hostile')
    for (const entry of ['tree', 'other', 'tree/../tree', 'tree/.']) {
      writeFileSync(path.join(hostile, '.git'), `gitdir: ${trusted}/.git/worktrees/${entry}\n`)
      expect(projectRoot(hostile)).toBe(hostile)
    }
    rmSync(path.join(hostile, '.git'))
    symlinkSync(path.join(place, 'tree', '.git'), path.join(hostile, '.git'))
    expect(projectRoot(hostile)).toBe(hostile)
    rmSync(path.join(hostile, '.git'))
    symlinkSync(path.join(trusted, '.git'), path.join(hostile, '.git'))
    expect(projectRoot(hostile)).toBe(hostile)
  })

  it('does not believe a repository that brings its own worktrees folder', () => {
    const place = scratch()
    const trusted = repository(path.join(place, 'trusted'))
    const hostile = below(place, 'hostile')
    const entry = below(hostile, 'fake', '.git', 'worktrees', 'x')
    writeFileSync(path.join(entry, 'gitdir'), path.join(hostile, '.git'))
    writeFileSync(path.join(entry, 'commondir'), path.join(trusted, '.git'))
    writeFileSync(path.join(hostile, '.git'), `gitdir: ${entry}\n`)
    expect(projectRoot(hostile)).toBe(path.join(hostile, 'fake'))
  })

  it.each([
    '',
    'gitdir:',
    'gitdir: \n',
    'nonsense',
    'gitdir: /nowhere/.git/worktrees/x',
    '\0',
    'x'.repeat(200_000),
  ])('takes a broken .git file for the top of its folder: %j', (text) => {
    const folder = below(scratch(), 'broken')
    writeFileSync(path.join(folder, '.git'), text)
    expect(projectRoot(below(folder, 'a'))).toBe(folder)
  })

  it('does not take an empty .git folder for a repository', () => {
    const place = scratch()
    mkdirSync(path.join(place, '.git'))
    const folder = below(place, 'plain', 'a')
    expect(projectRoot(folder)).toBe(folder)
  })

  it('is not held up by a pipe, nor by a link to itself', () => {
    const place = scratch()
    execFileSync('mkfifo', [path.join(below(place, 'pipe'), '.git')])
    expect(projectRoot(path.join(place, 'pipe'))).toBe(path.join(place, 'pipe'))
    symlinkSync('.git', path.join(below(place, 'loop'), '.git'))
    expect(projectRoot(path.join(place, 'loop'))).toBe(path.join(place, 'loop'))
  })

  it('of a folder that does not exist is its absolute path', () => {
    const place = scratch()
    expect(projectRoot(path.join(place, 'nowhere', '..', 'else'))).toBe(path.join(place, 'else'))
  })
})
