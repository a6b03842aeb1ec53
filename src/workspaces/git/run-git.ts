// Runs git so that a repository cannot make it run anything: no hooks, no helpers, no transports, a clean environment, and
// never a repository that git finds by itself.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { WorkspaceError } from '../workspace-error.ts'

/** The repository that git works on. Each is named in full: a repository's own configuration can name others. */
export interface GitPlace {
  readonly gitDir: string
  readonly workTree?: string
  /** Instead of the repository's own. */
  readonly indexFile?: string
  /** What its configuration would run, with the values that keep it from being run. */
  readonly overrides?: Readonly<Record<string, string>>
}

export interface GitRun {
  readonly input?: string | Buffer
  /** Exit codes that are answers, not failures. Default 0. */
  readonly exits?: readonly number[]
  readonly signal?: AbortSignal
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string | undefined
  /** Bytes of output that are kept; what is longer is cut and `isCut` says so. Default: all of it. */
  readonly maxBytes?: number
}

export interface GitResult {
  readonly exitCode: number
  readonly stdout: Buffer
  readonly stderr: string
  readonly isCut: boolean
}

/** The name of none: a list in the environment is above what the configuration of a repository allows. */
const NO_PROTOCOL = 'none'
/** For every git on a repository of the user's or of ours. */
const OFF: Readonly<Record<string, string>> = {
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'core.pager': 'cat',
  'core.editor': 'true',
  'core.askPass': '',
  'core.sshCommand': 'false',
  'core.gitProxy': '',
  'core.alternateRefsCommand': '',
  'credential.helper': '',
  'diff.external': '',
  'diff.ignoreSubmodules': 'all',
  'commit.gpgSign': 'false',
  'tag.gpgSign': 'false',
  'log.showSignature': 'false',
  'merge.verifySignatures': 'false',
  'gc.auto': '0',
  'maintenance.auto': 'false',
  'rerere.enabled': 'false',
  'submodule.recurse': 'false',
  'checkout.guess': 'false',
  'advice.detachedHead': 'false',
}

const KEPT_ENV = ['PATH', 'HOME', 'USERPROFILE', 'XDG_CONFIG_HOME', 'TMPDIR', 'TEMP', 'SystemRoot']
const FAR_ENV = [
  'SSH_AUTH_SOCK',
  'http_proxy',
  'https_proxy',
  'HTTPS_PROXY',
  'no_proxy',
  'NO_PROXY',
  'ALL_PROXY',
]
const MAX_STDERR = 16 * 1024
/** Another git holds a lock of the repository: worth another try. */
const LOCKED = /\.lock': File exists|unable to create .*\.lock|cannot lock ref|could not lock config/i
const LOCK_TRIES = 8

export class Git {
  readonly #env: Readonly<Record<string, string>>
  /** What it takes to reach another machine. */
  readonly #far: Readonly<Record<string, string>>

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = cleanEnv(env)
    this.#far = Object.fromEntries(FAR_ENV.flatMap((name) => pairOf(name, env[name])))
  }

  /** Its output as text, without the last line end. Rejects with `git-failed` when git says no. */
  async text(place: GitPlace, args: readonly string[], run: GitRun = {}): Promise<string> {
    return (await this.run(place, args, run)).stdout.toString('utf8').replace(/\n$/, '')
  }

  /** The parts of an output that `-z` separates. */
  async list(place: GitPlace, args: readonly string[], run: GitRun = {}): Promise<string[]> {
    const { stdout } = await this.run(place, args, run)
    return stdout
      .toString('utf8')
      .split('\0')
      .filter((part) => part !== '')
  }

  async run(place: GitPlace, args: readonly string[], run: GitRun = {}): Promise<GitResult> {
    for (let tries = 1; ; tries++) {
      const result = await this.#once(args, { cwd: place.workTree, ...run }, envOf(place, this.#env))
      if ((run.exits ?? [0]).includes(result.exitCode)) return result
      if (!LOCKED.test(result.stderr) || tries >= LOCK_TRIES) throw failed(args, result)
      await pause(20 * 2 ** tries * (0.5 + Math.random()), run.signal)
    }
  }

  /** Without a repository: `init` and `clone`. Of a clone from elsewhere the user's ssh and helpers for logins are used. */
  async outside(
    args: readonly string[],
    { protocols = [], ...run }: GitRun & { readonly protocols?: readonly string[] } = {},
  ): Promise<GitResult> {
    const config: Record<string, string> = { ...OFF }
    const isFar = protocols.some((name) => name !== 'file')
    if (isFar) for (const key of ['core.sshCommand', 'credential.helper', 'core.gitProxy']) delete config[key]
    const allowed = { GIT_ALLOW_PROTOCOL: protocols.join(':') || NO_PROTOCOL }
    const env = { ...this.#env, ...(isFar && this.#far), ...configEnv(config), ...allowed }
    const result = await this.#once(args, run, env)
    if ((run.exits ?? [0]).includes(result.exitCode)) return result
    throw failed(args, result)
  }

  /** In a group of its own: a signal to the service must not leave git half done. */
  async #once(
    args: readonly string[],
    { input, signal, env, cwd, maxBytes }: GitRun,
    ownEnv: Readonly<Record<string, string>>,
  ): Promise<GitResult> {
    signal?.throwIfAborted()
    const child = spawn('git', args, {
      cwd: cwd ?? '/',
      env: { ...ownEnv, ...env },
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      detached: true,
      windowsHide: true,
    })
    const { promise, resolve, reject } = Promise.withResolvers<number>()
    child.on('error', (error) => reject(missing(error, cwd)))
    child.on('close', (code) => resolve(code ?? -1))
    child.stdin?.on('error', () => {}).end(input)
    const out = collect(child.stdout!, maxBytes ?? Number.POSITIVE_INFINITY)
    const errors = collect(child.stderr!, MAX_STDERR)
    const onAbort = () => child.kill('SIGTERM')
    signal?.addEventListener('abort', onAbort, { once: true })
    try {
      const exitCode = await promise
      signal?.throwIfAborted()
      const { bytes, isCut } = out()
      return { exitCode, stdout: bytes, isCut, stderr: errors().bytes.toString('utf8').trim() }
    } finally {
      signal?.removeEventListener('abort', onAbort)
    }
  }
}

function collect(stream: NodeJS.ReadableStream, maxBytes: number): () => { bytes: Buffer; isCut: boolean } {
  const parts: Buffer[] = []
  let size = 0
  stream.on('data', (part: Buffer) => {
    // Read to the end all the same: git would die of a closed pipe in the middle of its work.
    if (size < maxBytes) parts.push(part.subarray(0, maxBytes - size))
    size += part.length
  })
  return () => ({ bytes: Buffer.concat(parts), isCut: size > maxBytes })
}

function envOf(
  { gitDir, workTree, indexFile, overrides }: GitPlace,
  env: Readonly<Record<string, string>>,
): Record<string, string> {
  return {
    ...env,
    ...configEnv({ ...OFF, ...overrides }),
    GIT_ALLOW_PROTOCOL: NO_PROTOCOL,
    GIT_DIR: gitDir,
    ...(workTree !== undefined && { GIT_WORK_TREE: workTree }),
    ...(indexFile !== undefined && { GIT_INDEX_FILE: indexFile }),
  }
}

/** As variables: in an argument a key with `=` in it would be another key. */
function configEnv(config: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(config)
  const pairs = entries.flatMap(([key, value], at) => [
    [`GIT_CONFIG_KEY_${at}`, key],
    [`GIT_CONFIG_VALUE_${at}`, value],
  ])
  return { ...Object.fromEntries(pairs), GIT_CONFIG_COUNT: String(entries.length) }
}

function cleanEnv(env: NodeJS.ProcessEnv): Record<string, string> {
  return {
    ...Object.fromEntries(KEPT_ENV.flatMap((name) => pairOf(name, env[name]))),
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: 'true',
    SSH_ASKPASS: 'true',
    GIT_NO_LAZY_FETCH: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_ATTR_NOSYSTEM: '1',
  }
}

function pairOf(name: string, value: string | undefined): [string, string][] {
  return value === undefined ? [] : [[name, value]]
}

function failed(args: readonly string[], { exitCode, stderr }: GitResult): WorkspaceError {
  const said = stderr.split('\n').find((line) => /^(fatal|error):/.test(line)) ?? stderr.split('\n').at(-1)
  const why = said?.replace(/^(fatal|error): /, '') || `it ended with exit code ${exitCode}`
  return new WorkspaceError('git-failed', `git ${args[0]} failed: ${why}`, { details: { exitCode, stderr } })
}

function missing(cause: Error, cwd: string | undefined): WorkspaceError {
  if (cwd !== undefined && !existsSync(cwd))
    return new WorkspaceError('workspace-gone', `${cwd} is not there any more`, { cause })
  return new WorkspaceError('git-failed', `git could not be started (${cause.message}): install git`, {
    cause,
  })
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms))
  signal?.throwIfAborted()
}
