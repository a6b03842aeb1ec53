// The real codex in its strict mode, on a copy of config.toml: it reads, tells what it does not understand, and ends.
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { DrawbridgeError } from '../../codex/index.ts'
import type { StrictCodex, StrictComplaint } from '../../config/index.ts'
import { makeFolder } from '../../util/make-folder.ts'

const RUN_MS = 15_000
/** No check takes that long: what is older was left by one that was killed. */
const STALE_MS = 60 * 60_000
const MAX_OUTPUT = 4 * 1024 * 1024

export interface StrictPlace {
  readonly codexPath: string
  readonly env: NodeJS.ProcessEnv
  readonly signal: AbortSignal
  /** A folder for copies of config.toml: one that commands of codex cannot read, which they can the temp folder. */
  readonly copies: string
}

interface StrictReply {
  readonly error?: {
    readonly message?: string
    readonly data?: {
      filePath?: string | null
      line?: number | null
      column?: number | null
      detail?: string
    }
  }
  readonly appServerVersion?: string
}

export async function withStrictCodex<T>(
  place: StrictPlace,
  work: (strict: StrictCodex) => Promise<T>,
): Promise<T> {
  return withHome(place, (home) =>
    work(async (text) => {
      await writeFile(path.join(home, 'config.toml'), text, { mode: 0o600 })
      return complaintOf(await run(place, home), home)
    }),
  )
}

/** A CODEX_HOME of its own, gone afterwards. */
async function withHome<T>({ copies }: StrictPlace, work: (home: string) => Promise<T>): Promise<T> {
  makeFolder(copies)
  await sweep(copies)
  const home = await mkdtemp(path.join(copies, 'home-'))
  try {
    return await work(home)
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

async function sweep(copies: string): Promise<void> {
  for (const name of await readdir(copies)) {
    const folder = path.join(copies, name)
    const { mtimeMs } = await stat(folder).catch(() => ({ mtimeMs: Date.now() }))
    if (mtimeMs < Date.now() - STALE_MS) await rm(folder, { recursive: true, force: true })
  }
}

/** Names of features, as this codex has them. */
export async function featureNames(place: StrictPlace): Promise<string[]> {
  const { stdout } = await withHome(place, (home) => runCodex(place, ['features', 'list'], home))
  return stdout.split('\n').flatMap((line) => /^([a-z0-9_]+)\s/.exec(line)?.[1] ?? [])
}

async function run(place: StrictPlace, home: string): Promise<StrictReply> {
  const { stdout } = await runCodex(place, ['app-server', '--strict-config', '--print-startup-config'], home)
  try {
    return JSON.parse(stdout) as StrictReply
  } catch (cause) {
    throw new DrawbridgeError('this codex cannot check its configuration: 0.166 or later can', {
      code: 'unsupported',
      cause,
    })
  }
}

function complaintOf({ error }: StrictReply, home: string): StrictComplaint | null {
  if (!error) return null
  const { filePath = null, line = null, column = null, detail } = error.data ?? {}
  const said = detail ?? error.message ?? 'it is refused'
  const isOurs = filePath === path.join(home, 'config.toml')
  const prefix = `${filePath}:${line}:${column}: `
  if (!isOurs) return { line: null, column: null, detail: said }
  return { line, column, detail: said.startsWith(prefix) ? said.slice(prefix.length) : said }
}

function runCodex({ codexPath, env, signal }: StrictPlace, args: readonly string[], home: string) {
  const { PATH, HOME, USERPROFILE, SystemRoot } = env
  return new Promise<{ stdout: string }>((resolve, reject) => {
    const options = {
      env: { PATH, HOME, USERPROFILE, SystemRoot, CODEX_HOME: home },
      timeout: RUN_MS,
      killSignal: 'SIGKILL' as const,
      maxBuffer: MAX_OUTPUT,
      signal,
    }
    const child = execFile(codexPath, args, options, (error, stdout) => {
      // A refusal is an exit code of 1 and a reply on stdout.
      if (error && stdout.trim() === '') reject(error)
      else resolve({ stdout })
    })
    child.stdin?.end()
  })
}
