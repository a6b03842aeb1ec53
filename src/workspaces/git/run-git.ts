// Runs git so that a repository cannot make it run anything: no hooks, no helpers, no transports, a clean environment, and
// never a repository that git finds by itself.
import { type Machine, MachineError } from '../../hosts/index.ts'
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
  /** Files of the machine, in place of input and output: what goes from one git to another never comes here. */
  readonly inputFile?: string
  readonly outputFile?: string
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

const STEADY: Readonly<Record<string, string>> = {
  LC_ALL: 'C',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: 'true',
  SSH_ASKPASS: 'true',
  GIT_NO_LAZY_FETCH: '1',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_ATTR_NOSYSTEM: '1',
}
/** Of the machine's own. */
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
/** Another git holds a lock of the repository: worth another try. */
const LOCKED = /\.lock': File exists|unable to create .*\.lock|cannot lock ref|could not lock config/i
const LOCK_TRIES = 8

/** `merge-tree --write-tree`. */
const OLDEST = [2, 38] as const

export class Git {
  readonly machine: Machine
  #checked: Promise<void> | null = null

  constructor(machine: Machine) {
    this.machine = machine
  }

  /** Rejects when there is no git that can do all of this. */
  requireVersion(): Promise<void> {
    this.#checked ??= this.#checkVersion().catch((error) => {
      this.#checked = null
      throw error
    })
    return this.#checked
  }

  async #checkVersion(): Promise<void> {
    const { stdout } = await this.#once(['--version'], {}, { env: STEADY })
    const said = stdout.toString('utf8').trim()
    const [, major, minor] = /(\d+)\.(\d+)/.exec(said) ?? []
    const isOld = Number(major) < OLDEST[0] || (Number(major) === OLDEST[0] && Number(minor) < OLDEST[1])
    if (major !== undefined && !isOld) return
    const where = this.machine.host === null ? '' : ` on ${this.machine.host}`
    const message = `workspaces need git 2.38 or newer${where}, and there is ${said || 'none'}: update git there`
    throw new WorkspaceError('git-failed', message)
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
      const result = await this.#once(args, { cwd: place.workTree, ...run }, { env: envOf(place) })
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
    const env = { ...STEADY, ...configEnv(config), ...allowed }
    const inherit = isFar ? [...KEPT_ENV, ...FAR_ENV] : KEPT_ENV
    const result = await this.#once(args, run, { env, inherit })
    if ((run.exits ?? [0]).includes(result.exitCode)) return result
    throw failed(args, result)
  }

  async #once(
    args: readonly string[],
    { exits: _, cwd, ...run }: GitRun,
    { env, inherit = KEPT_ENV }: OwnEnv,
  ): Promise<GitResult> {
    const words = { program: 'git', args, cwd: cwd ?? '/', inherit }
    return this.machine.run({ ...words, ...run, env: { ...env, ...run.env } }).catch((error: unknown) => {
      throw notRun(error, { cwd, host: this.machine.host })
    })
  }
}

interface OwnEnv {
  readonly env: Readonly<Record<string, string>>
  readonly inherit?: readonly string[]
}

function envOf({ gitDir, workTree, indexFile, overrides }: GitPlace): Record<string, string> {
  return {
    ...STEADY,
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

function failed(args: readonly string[], { exitCode, stderr }: GitResult): WorkspaceError {
  const said = stderr.split('\n').find((line) => /^(fatal|error):/.test(line)) ?? stderr.split('\n').at(-1)
  const why = said?.replace(/^(fatal|error): /, '') || `it ended with exit code ${exitCode}`
  return new WorkspaceError('git-failed', `git ${args[0]} failed: ${why}`, { details: { exitCode, stderr } })
}

function notRun(error: unknown, { cwd, host }: { cwd: string | undefined; host: string | null }): unknown {
  if (!(error instanceof MachineError)) return error
  const where = host === null ? '' : ` on ${host}`
  if (error.code === 'folder-missing')
    return new WorkspaceError('workspace-gone', `${cwd} is not there any more${where}`, { cause: error })
  const toDo = error.code === 'program-missing' ? `: install git${where}` : ''
  return new WorkspaceError('git-failed', `git could not be run${where} (${error.message})${toDo}`, {
    cause: error,
  })
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms))
  signal?.throwIfAborted()
}
