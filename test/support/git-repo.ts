// A repository of a user's, as a test makes it.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

export interface GitRepo {
  readonly path: string
  git(...args: string[]): string
  write(name: string, text: string): void
  read(name: string): string
}

export function git(cwd: string, ...args: string[]): string {
  const env = { PATH: process.env.PATH ?? '', HOME: '/nonexistent', LC_ALL: 'C' }
  return execFileSync('git', ['-C', cwd, ...args], { encoding: 'utf8', env, stdio: 'pipe' }).trimEnd()
}

/** On `main`, with one commit of these files. */
export function makeGitRepo(place: string, files: Readonly<Record<string, string>>): GitRepo {
  mkdirSync(place, { recursive: true })
  const repo: GitRepo = {
    path: place,
    git: (...args) => git(place, ...args),
    write: (name, text) => {
      mkdirSync(path.dirname(path.join(place, name)), { recursive: true })
      writeFileSync(path.join(place, name), text)
    },
    read: (name) => readFileSync(path.join(place, name), 'utf8'),
  }
  repo.git('init', '-q', '-b', 'main')
  repo.git('config', 'user.name', 'Ada')
  repo.git('config', 'user.email', 'ada@example.org')
  for (const [name, text] of Object.entries(files)) repo.write(name, text)
  repo.git('add', '-A')
  repo.git('commit', '-q', '-m', 'Begin')
  return repo
}
