// A program of this machine that tests need, installed with apt-get where there is none and this may be done.
import { spawnSync } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
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

export interface WantedProgram {
  /** Any of these. */
  readonly names: readonly string[]
  /** What Debian calls it. */
  readonly packageName: string
  /** What to do where it cannot be installed. */
  readonly advice: string
}

/** The path of the program. Throws what to do when it is not there and cannot be installed. */
export function installedProgram(wanted: WantedProgram, machine: Machine = HERE): string {
  const { names, packageName, advice } = wanted
  const found = findProgram(names, machine)
  if (found) return found
  install(wanted, machine)
  const installed = findProgram(names, machine)
  if (!installed) throw new Error(`${packageName} was installed and is not to be found: ${advice}`)
  return installed
}

function install({ packageName, advice }: WantedProgram, { env, isRoot, tell }: Machine): void {
  const apt = findProgram(['apt-get'], { env })
  const sudo = isRoot ? null : findProgram(['sudo'], { env })
  const none = `there is no ${packageName}`
  if (!apt) throw new Error(`${none} and no apt-get to install it with: ${advice}`)
  if (!isRoot && !sudo) throw new Error(`${none} and only root can install it: ${advice}`)
  const quiet = { ...env, DEBIAN_FRONTEND: 'noninteractive' }
  const run = (...args: string[]) => {
    const [command, ...rest] = sudo ? [sudo, '-n', apt, ...args] : [apt, ...args]
    return spawnSync(command!, rest, { env: quiet, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  }
  tell(`Installing ${packageName} with apt-get (once) …`)
  // Without lists nothing is found. A list that cannot be had need not be the one with it: the next step tells.
  run('update')
  const { status, stderr, error } = run('install', '--yes', '--no-install-recommends', packageName)
  if (status === 0) return
  const why = (error?.message ?? stderr).trim().split('\n').at(-1)
  throw new Error(`${none} and it cannot be installed (${why}): ${advice}`)
}

function findProgram(names: readonly string[], { env }: Pick<Machine, 'env'>): string | undefined {
  const folders = (env.PATH ?? '').split(path.delimiter).filter((folder) => folder !== '')
  return names.flatMap((name) => folders.map((folder) => path.join(folder, name))).find(isProgram)
}

export function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}
