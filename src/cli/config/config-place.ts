// Where the commands about codex's configuration work: which CODEX_HOME, which machine, which codex.
import { once } from 'node:events'
import { homedir } from 'node:os'
import path from 'node:path'
import { type Codex, type CodexNotification, openCodex } from '../../codex/index.ts'
import { isTestFolder, type Machine } from '../../config/index.ts'
import { localHost } from '../../hosts/index.ts'
import { namedCodex, namedCodexHome } from '../options/index.ts'
import { type Surroundings, UsageError } from '../process/index.ts'
import { dataDirOf, type ServiceFlags } from '../service/index.ts'
import { defaultCodexHome } from '../trust/index.ts'

export interface ConfigFlags extends ServiceFlags {
  readonly home?: string
  readonly codex?: string
}

/** A home that a test run left in the environment is no place to write to, unless it is named. */
export function homeOf({ home }: ConfigFlags, { env }: Pick<Surroundings, 'env'>): string {
  if (home !== undefined) return namedCodexHome(home, '--home')
  const folder = path.resolve(defaultCodexHome(env))
  if (isTestFolder(folder))
    throw new UsageError(
      `CODEX_HOME is ${folder}, the folder of a test run: name the one you mean with --home`,
    )
  return folder
}

/** Copies of what was there before, in our data folder: commands of codex cannot read that. */
export function backupsOf(flags: ServiceFlags, surroundings: Surroundings): { readonly backups: string } {
  return { backups: path.join(dataDirOf(flags, surroundings), 'config-backups') }
}

export function machineOf({ env }: Pick<Surroundings, 'env'>): Machine {
  return { platform: process.platform, env, home: env.HOME || homedir() }
}

interface CodexUse<T> {
  readonly signal: AbortSignal
  /** Variables it needs besides the usual ones. */
  readonly passEnv?: readonly string[]
  readonly work: (codex: Codex, heard: Heard) => Promise<T>
}

/** Starts an app-server on that home for one piece of work, and always ends it. */
export async function withCodex<T>(
  place: { home: string; codex: string | undefined },
  { env }: Pick<Surroundings, 'env'>,
  { signal, passEnv, work }: CodexUse<T>,
): Promise<T> {
  const heard = new Heard()
  const host = hostOf({ ...place, env, passEnv })
  const codex = await openCodex(host, { signal, onNotification: (notification) => heard.hear(notification) })
  try {
    return await work(codex, heard)
  } finally {
    await codex.close()
  }
}

/** What codex has said by itself, so that a word that comes before its reply is not missed. */
export class Heard {
  readonly #all: CodexNotification[] = []
  readonly #arrivals = new EventTarget()

  hear(notification: CodexNotification): void {
    this.#all.push(notification)
    this.#arrivals.dispatchEvent(new Event('heard'))
  }

  async wait<T>(find: (notification: CodexNotification) => T | null, signal: AbortSignal): Promise<T> {
    for (;;) {
      for (const each of this.#all) {
        const found = find(each)
        if (found !== null) return found
      }
      await once(this.#arrivals, 'heard', { signal })
    }
  }
}

interface HostChoice {
  readonly home: string
  readonly codex: string | undefined
  readonly env: NodeJS.ProcessEnv
  readonly passEnv?: readonly string[] | undefined
}

/** Not on record: it ends with its input, should we be killed. */
export function hostOf({ home, codex, env, passEnv = [] }: HostChoice) {
  const codexPath = codex === undefined ? undefined : namedCodex(codex)
  return localHost({ env: { ...env, CODEX_HOME: home }, codexPath, registryDir: null, passEnv: [...passEnv] })
}
