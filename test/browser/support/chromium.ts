// A real browser: the chromium of this machine, installed where there is none and this may be done.
import { spawnSync } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import path from 'node:path'
import { type Browser, chromium } from 'playwright-core'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const ADVICE = 'install chromium, or set DRAWBRIDGE_CHROMIUM to the program of one'
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export interface Machine {
  readonly env: NodeJS.ProcessEnv
  readonly isRoot: boolean
  /** One line for whoever waits. */
  readonly tell: (line: string) => void
}

const HERE: Machine = {
  env: process.env,
  isRoot: process.getuid?.() === 0,
  tell: (line) => process.stderr.write(`${line}\n`),
}

/** Each launch has a profile of its own, which ends with it. */
export function openChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: readyChromium(), args: ARGS, headless: true })
}

/** The program of a chromium, which is installed first when there is none. Throws what to do when it cannot be. */
export function readyChromium(machine: Machine = HERE): string {
  const given = machine.env.DRAWBRIDGE_CHROMIUM
  if (given && !isProgram(given)) throw new Error(`DRAWBRIDGE_CHROMIUM is no program: ${given}`)
  const found = given || findProgram(NAMES, machine)
  if (found) return found
  install(machine)
  const installed = findProgram(NAMES, machine)
  if (!installed) throw new Error(`chromium was installed and is not to be found: ${ADVICE}`)
  return installed
}

function install({ env, isRoot, tell }: Machine): void {
  const apt = findProgram(['apt-get'], { env })
  const sudo = isRoot ? null : findProgram(['sudo'], { env })
  if (!apt) throw new Error(`there is no chromium and no apt-get to install it with: ${ADVICE}`)
  if (!isRoot && !sudo) throw new Error(`there is no chromium and only root can install it: ${ADVICE}`)
  const quiet = { ...env, DEBIAN_FRONTEND: 'noninteractive' }
  const run = (...args: string[]) => {
    const [command, ...rest] = sudo ? [sudo, '-n', apt, ...args] : [apt, ...args]
    return spawnSync(command!, rest, { env: quiet, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  }
  tell('Installing chromium with apt-get (once) …')
  // Without lists nothing is found. A list that cannot be had need not be the one with chromium: the next step tells.
  run('update')
  const { status, stderr, error } = run('install', '--yes', '--no-install-recommends', 'chromium')
  if (status === 0) return
  const why = (error?.message ?? stderr).trim().split('\n').at(-1)
  throw new Error(`there is no chromium and it cannot be installed (${why}): ${ADVICE}`)
}

function findProgram(names: readonly string[], { env }: Pick<Machine, 'env'>): string | undefined {
  const folders = (env.PATH ?? '').split(path.delimiter).filter((folder) => folder !== '')
  return names.flatMap((name) => folders.map((folder) => path.join(folder, name))).find(isProgram)
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}
