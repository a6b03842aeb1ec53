// A program of this machine that tests need, installed with apt-get where there is none and this may be done.
import { spawnSync } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

export interface Machine {
  readonly env: NodeJS.ProcessEnv
  readonly isRoot: boolean
  /** One line for whoever waits. */
  readonly tell: (line: string) => void
}

export const HERE: Machine = {
  env: process.env,
  isRoot: process.getuid?.() === 0,
  tell: (line) => process.stderr.write(`${line}\n`),
}

const LOCK = path.join(tmpdir(), 'drawbridge-test-apt.lock')

interface Wanted {
  /** What it is called in messages. */
  readonly name: string
  /** Any of them has it; they are tried in this order. */
  readonly packages: readonly string[]
  /** Of the program. */
  readonly programs: readonly string[]
  readonly advice: string
}

/** Where it is, after it was installed if need be. Throws what to do when it cannot be. */
export function readyProgram(wanted: Wanted, machine: Machine = HERE): string {
  const found = findProgram(wanted.programs, machine)
  if (found) return found
  install(wanted, machine)
  const installed = findProgram(wanted.programs, machine)
  if (!installed) throw new Error(`${wanted.name} was installed and is not to be found: ${wanted.advice}`)
  return installed
}

export function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}

function install({ name, packages, advice }: Wanted, { env, isRoot, tell }: Machine): void {
  const apt = findProgram(['apt-get'], { env })
  const sudo = isRoot ? null : findProgram(['sudo'], { env })
  if (!apt) throw new Error(`there is no ${name} and no apt-get to install it with: ${advice}`)
  if (!isRoot && !sudo) throw new Error(`there is no ${name} and only root can install it: ${advice}`)
  const quiet = { ...env, DEBIAN_FRONTEND: 'noninteractive' }
  // Tests that run at the same time may install something else: apt-get refuses while another one works.
  const flock = findProgram(['flock'], { env })
  const before = [...(sudo ? [sudo, '-n'] : []), ...(flock ? [flock, LOCK] : [])]
  const run = (...args: string[]) => {
    const [command, ...rest] = [...before, apt, ...args]
    return spawnSync(command!, rest, { env: quiet, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  }
  tell(`Installing ${name} with apt-get (once) …`)
  // Without lists nothing is found. A list that cannot be had need not be the one that is needed: the next step tells.
  run('update')
  let why: string | undefined
  for (const each of packages) {
    const { status, stderr, error } = run('install', '--yes', '--no-install-recommends', each)
    if (status === 0) return
    why = (error?.message ?? stderr).trim().split('\n').at(-1)
  }
  throw new Error(`there is no ${name} and it cannot be installed (${why}): ${advice}`)
}

function findProgram(names: readonly string[], { env }: Pick<Machine, 'env'>): string | undefined {
  const folders = (env.PATH ?? '').split(path.delimiter).filter((folder) => folder !== '')
  return names.flatMap((name) => folders.map((folder) => path.join(folder, name))).find(isProgram)
}
