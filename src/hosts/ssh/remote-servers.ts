// codex servers that run on a host by themselves. Each has a folder there that says who it is; that is all that is known
// of it after a restart of ours. Only those of our own data folder are ever looked at.
import { MARKER_VARIABLE } from '../processes.ts'
import { cleanEnvironment } from './clean-environment.ts'
import type { SshConnection } from './connection.ts'
import { lastLines } from './explain-failure.ts'
import {
  DID_NOT_START,
  END,
  END_IDLE,
  FUNCTIONS,
  LIST,
  NOTE_SESSION,
  READY_SECONDS,
  START,
} from './server-scripts.ts'
import { assign, COMMON, quote, type Told, told, valueNamed, valuesNamed } from './shell.ts'
import { SshHostError } from './ssh-host-error.ts'
import { diedHalfWay, wholeAnswer } from './whole-answer.ts'

const KINDS = ['exec-server', 'app-server'] as const
type ServerKind = (typeof KINDS)[number]

/** Of ours. It becomes the name of a file here: a host that answers with another says nothing. */
const ID = /^[0-9a-f]{16}(?:[0-9a-f]{16})?$/

export interface RemoteServer {
  readonly id: string
  readonly kind: ServerKind
  readonly version: string
  /** Of what it was started with. */
  readonly settings: string
  readonly pid: number
  /** Of the machine, when it was started. */
  readonly boot: string
  readonly startedAt: string
  /** Where it listens there: a port of loopback, or a socket. */
  readonly listens: string
}

export interface ServerStart {
  readonly id: string
  readonly kind: ServerKind
  readonly codex: { readonly path: string; readonly version: string }
  readonly settings: string
  readonly startedAt: string
  /** Of codex; where an app-server listens is added. None may be a secret: everybody on the host can read them. */
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Of the environment there it gets what codex needs, and these. Absent: all of it. */
  readonly passEnv?: readonly string[]
}

/** What was found there of ours. */
export interface SeenServers {
  readonly alive: readonly RemoteServer[]
  /** Their folders, and what they left running, are gone now: what is told here is told once. */
  readonly dead: readonly DeadServer[]
  /** Those that are about to run. */
  readonly starting: readonly string[]
}

interface DeadServer {
  readonly id: string
  /** The machine was started again since. */
  readonly wasRestarted: boolean
  /** What it said last. */
  readonly said: readonly string[]
}

const START_MS = 60_000
const LIST_MS = 20_000
const END_MS = 30_000

export class RemoteServers {
  readonly #connection: SshConnection
  readonly #host: string
  readonly #owner: string

  constructor(connection: SshConnection, { host, owner }: { host: string; owner: string }) {
    this.#connection = connection
    this.#host = host
    this.#owner = owner
  }

  /** It listens when this resolves; nothing is left there when it rejects because it did not. */
  async start(server: ServerStart, { signal }: { signal?: AbortSignal } = {}): Promise<RemoteServer> {
    const { id, kind, codex, settings, startedAt } = server
    const values = {
      id,
      kind,
      version: codex.version,
      settings,
      startedAt,
      ready_seconds: READY_SECONDS,
      common: COMMON,
      note: NOTE_SESSION,
    }
    const env = Object.entries({ ...server.env, [MARKER_VARIABLE]: id }).map(
      ([name, value]) => `export ${name}=${quote(value)}`,
    )
    const words = [codex.path, ...server.args].map(quote).join(' ')
    const text = this.#script(values, [...env, `set -- ${words}`, START].join('\n'), {
      first: server.passEnv && cleanEnvironment(server.passEnv),
    })
    const end = await this.#connection.run({ text, timeoutMs: START_MS, signal })
    const said = told(end.stdout)
    const started = serversIn(said)[0]
    if (started?.id === id && end.status === 0) return started
    // It may run all the same.
    if (end.status !== DID_NOT_START) throw diedHalfWay(end, this.#host)
    const why = valueNamed(said, 'failed') || valueNamed(said, 'log') || end.stderr
    const message = `codex ${kind} did not start on ${this.#host}: ${lastLines(why) || 'it said nothing'}`
    const hint = `try \`${codex.path} ${kind} --help\` there`
    throw new SshHostError(message, { code: 'host-server-failed', host: this.#host, hint, retryable: true })
  }

  /** Those that live. What is left of dead ones, also from before a restart of the host, is removed. */
  async list(options: { signal?: AbortSignal } = {}): Promise<readonly RemoteServer[]> {
    return (await this.look(options)).alive
  }

  async look({ signal }: { signal?: AbortSignal } = {}): Promise<SeenServers> {
    const end = await this.#connection.run({
      text: this.#script({}, LIST),
      timeoutMs: LIST_MS,
      isRepeatable: true,
      signal,
    })
    const said = wholeAnswer(end, this.#host)
    return { alive: serversIn(said), dead: deadIn(said), starting: valuesNamed(said, 'starting') }
  }

  /** With everything it runs. */
  async end(id: string, { signal }: { signal?: AbortSignal } = {}): Promise<void> {
    const end = await this.#connection.run({
      text: this.#script({ id }, END),
      timeoutMs: END_MS,
      isRepeatable: true,
      signal,
    })
    wholeAnswer(end, this.#host)
  }

  /** Whether it was ended; one that runs something or has somebody connected goes on. */
  async endIdle(id: string, { signal }: { signal?: AbortSignal } = {}): Promise<boolean> {
    const end = await this.#connection.run({
      text: this.#script({ id }, END_IDLE),
      timeoutMs: END_MS,
      signal,
    })
    return valueNamed(wholeAnswer(end, this.#host), 'ended') === 'yes'
  }

  #script(
    values: Readonly<Record<string, string | number>>,
    text: string,
    { first = '' }: { first?: string } = {},
  ): string {
    return [first, COMMON, assign({ ...values, owner: this.#owner }), FUNCTIONS, text].join('\n')
  }
}

function serversIn(said: Told): RemoteServer[] {
  const starts = said.flatMap(([name], index) => (name === 'id' ? [index] : []))
  return starts.flatMap((from, index) => {
    const facts = said.slice(from, starts[index + 1])
    const id = valueNamed(facts, 'id')
    const kind = KINDS.find((known) => known === valueNamed(facts, 'kind'))
    if (!ID.test(id) || kind === undefined) return []
    const server = {
      ...{ id, kind },
      version: valueNamed(facts, 'version'),
      settings: valueNamed(facts, 'settings'),
      pid: Number(valueNamed(facts, 'pid')) || 0,
      boot: valueNamed(facts, 'boot'),
      startedAt: valueNamed(facts, 'startedAt'),
      listens: valueNamed(facts, 'listens'),
    }
    return [server]
  })
}

function deadIn(said: Told): DeadServer[] {
  return said.flatMap(([name, id], index) => {
    if (name !== 'dead') return []
    const [log, restarted] = [said[index + 1], said[index + 2]]
    const lines = log?.[0] === 'log' ? log[1].split('\n').filter((line) => line.trim() !== '') : []
    return [{ id, wasRestarted: restarted?.[0] === 'restarted', said: lines }]
  })
}
