// One connection per host: made when it is needed, kept, and made again with growing pauses when it is lost.
import { execFile } from 'node:child_process'
import { backoffMs } from '../../util/backoff.ts'
import { lastLines } from './explain-failure.ts'
import { type Master, startMaster } from './master.ts'
import { Permits } from './permits.ts'
import { runScript, type Script, type ScriptEnd } from './run-script.ts'
import { options, type SshSettings } from './ssh-arguments.ts'
import { SshHostError } from './ssh-host-error.ts'
import type { SshHostSpec } from './ssh-target.ts'

export type ConnectionState =
  | { readonly status: 'idle' | 'closed' }
  | { readonly status: 'connecting'; readonly attempt: number }
  | { readonly status: 'connected'; readonly since: number; readonly roundTripMs: number }
  | { readonly status: 'retrying'; readonly at: number; readonly why: Error }
  | { readonly status: 'broken'; readonly why: Error }

export interface ConnectionTimes {
  /** The first pause after a loss, and the longest one. */
  readonly retryBaseMs: number
  readonly retryMaxMs: number
  /** After so many failures in a row nobody tries by themselves for a while. */
  readonly breakAfter: number
  /** How long that is. */
  readonly brokenMs: number
  /** Somebody who asks a broken connection gets another try no sooner than this after the last one. */
  readonly askedAgainMs: number
  /** A connection that ends sooner counts as a failure. */
  readonly stableMs: number
  readonly aliveSeconds: number
  readonly connectMs: number
}

export const CONNECTION_TIMES: ConnectionTimes = {
  retryBaseMs: 500,
  retryMaxMs: 30_000,
  breakAfter: 8,
  brokenMs: 300_000,
  askedAgainMs: 5_000,
  stableMs: 10_000,
  aliveSeconds: 5,
  connectMs: 20_000,
}

export interface ConnectionOptions {
  readonly settings: SshSettings
  /** A new one at each call, in a folder that is ours alone. */
  readonly controlPath: () => string
  readonly recordFile: string
  readonly times: ConnectionTimes
  readonly now: () => number
  readonly random: () => number
}

/** sshd takes ten sessions on a connection by default. */
const MAX_SCRIPTS = 6
/** A deadline grows by so many round trips. */
const ROUND_TRIPS = 20

export class SshConnection {
  readonly #spec: SshHostSpec
  readonly #options: ConnectionOptions
  readonly #permits = new Permits(MAX_SCRIPTS)
  readonly #listeners = new Set<(state: ConnectionState) => void>()
  /** Local end → remote end, made again with every new connection. */
  readonly #forwards = new Map<string, string>()
  readonly #closing = new AbortController()
  #state: ConnectionState = { status: 'idle' }
  #master: Master | null = null
  #attempt: Promise<Master> | null = null
  #timer: NodeJS.Timeout | undefined
  #failures = 0
  #lastTryAt = Number.NEGATIVE_INFINITY
  #wasUp = false

  constructor(spec: SshHostSpec, options: ConnectionOptions) {
    this.#spec = spec
    this.#options = options
  }

  get state(): ConnectionState {
    return this.#state
  }

  onState(listener: (state: ConnectionState) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** For a wait that is `ms` long on a link without delay. */
  deadline(ms: number): number {
    return ms + ROUND_TRIPS * (this.#state.status === 'connected' ? this.#state.roundTripMs : 0)
  }

  async connect({ signal }: { signal?: AbortSignal } = {}): Promise<void> {
    await this.#ready(signal)
  }

  /** Runs a script there; while the connection is being made again it waits for that. */
  async run(script: Script): Promise<ScriptEnd> {
    const master = await this.#ready(script.signal)
    const letGo = await this.#permits.take(script.signal)
    try {
      return await runScript(
        { ...script, timeoutMs: this.deadline(script.timeoutMs) },
        { host: this.#spec.name, controlPath: master.controlPath, settings: this.#options.settings },
      )
    } finally {
      letGo()
    }
  }

  /** What connects to the local socket reaches the remote end, now and after every new connection. */
  async forward(
    localSocket: string,
    remote: string,
    { signal }: { signal?: AbortSignal } = {},
  ): Promise<void> {
    if (this.#forwards.get(localSocket) === remote && this.#master) return
    const master = await this.#ready(signal)
    const earlier = this.#forwards.get(localSocket)
    if (earlier !== undefined)
      await this.#control(master, ['-O', 'cancel', '-L', `${localSocket}:${earlier}`]).catch(() => {})
    this.#forwards.set(localSocket, remote)
    await this.#open(master, localSocket, remote)
  }

  async close(): Promise<void> {
    this.#closing.abort(closed(this.#spec.name))
    clearTimeout(this.#timer)
    this.#set({ status: 'closed' })
    await this.#attempt?.catch(() => {})
    await this.#master?.end()
  }

  async #ready(signal?: AbortSignal): Promise<Master> {
    signal?.throwIfAborted()
    this.#closing.signal.throwIfAborted()
    if (this.#master) return this.#master
    const { status } = this.#state
    if (status === 'broken') {
      const waitedMs = this.#options.now() - this.#lastTryAt
      if (waitedMs < this.#options.times.askedAgainMs) throw this.#state.why
    }
    if (status !== 'retrying') return abortable(this.#try(), signal)
    return this.#nextAttempt(signal)
  }

  async #nextAttempt(signal?: AbortSignal): Promise<Master> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const stop = this.onState((state) => {
      if (state.status === 'broken') reject(state.why)
      else if (state.status === 'closed') reject(closed(this.#spec.name))
      else if (state.status === 'connected') resolve()
    })
    try {
      await abortable(promise, signal)
    } finally {
      stop()
    }
    return this.#ready(signal)
  }

  #try(): Promise<Master> {
    this.#attempt ??= this.#makeMaster().finally(() => {
      this.#attempt = null
    })
    return this.#attempt
  }

  async #makeMaster(): Promise<Master> {
    clearTimeout(this.#timer)
    const { settings, controlPath, recordFile, times, now } = this.#options
    this.#lastTryAt = now()
    this.#set({ status: 'connecting', attempt: this.#failures + 1 })
    try {
      const master = await startMaster(this.#spec, settings, {
        controlPath: controlPath(),
        recordFile,
        aliveSeconds: times.aliveSeconds,
        connectMs: times.connectMs,
        signal: this.#closing.signal,
      })
      return await this.#take(master)
    } catch (error) {
      this.#failed(error as Error)
      throw error
    }
  }

  async #take(master: Master): Promise<Master> {
    try {
      const roundTripMs = await this.#measure(master)
      for (const [local, remote] of this.#forwards) await this.#open(master, local, remote)
      this.#closing.signal.throwIfAborted()
      this.#master = master
      this.#wasUp = true
      this.#set({ status: 'connected', since: this.#options.now(), roundTripMs })
    } catch (error) {
      await master.end()
      throw error
    }
    void master.ended.then((said) => this.#lost(said))
    return master
  }

  async #measure({ controlPath }: Master): Promise<number> {
    const { settings, times } = this.#options
    const begunAt = performance.now()
    const script = { text: ':', timeoutMs: times.connectMs, signal: this.#closing.signal }
    await runScript(script, { host: this.#spec.name, controlPath, settings })
    return Math.round(performance.now() - begunAt)
  }

  #lost(said: string): void {
    const { state } = this
    const lastedMs = state.status === 'connected' ? this.#options.now() - state.since : 0
    this.#master = null
    if (lastedMs >= this.#options.times.stableMs) this.#failures = 0
    const message = `the connection to ${this.#spec.name} was cut${said.trim() ? `: ${lastLines(said)}` : ''}`
    const hint = 'it is made again by itself'
    this.#failed(new SshHostError(message, { code: 'ssh-cut', host: this.#spec.name, hint, retryable: true }))
  }

  #failed(why: Error): void {
    if (this.#closing.signal.aborted) return
    const { times, now, random } = this.#options
    const attempt = this.#failures++
    const mayRetry = (why as Partial<SshHostError>).retryable === true && this.#wasUp
    const isBroken = !mayRetry || this.#failures >= times.breakAfter
    const waitMs = isBroken
      ? times.brokenMs
      : backoffMs(attempt, { baseMs: times.retryBaseMs, maxMs: times.retryMaxMs, random })
    if (mayRetry) this.#timer = setTimeout(() => void this.#try().catch(() => {}), waitMs).unref()
    this.#set(isBroken ? { status: 'broken', why } : { status: 'retrying', at: now() + waitMs, why })
  }

  async #open(master: Master, local: string, remote: string): Promise<void> {
    await this.#control(master, ['-O', 'forward', '-L', `${local}:${remote}`])
  }

  async #control({ controlPath }: Master, args: readonly string[]): Promise<void> {
    const { settings } = this.#options
    const where = options({
      ControlPath: `"${controlPath}"`,
      StreamLocalBindUnlink: 'yes',
      StreamLocalBindMask: '0177',
    })
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const all = ['-F', 'none', ...where, ...args, '--', 'host']
    execFile(settings.ssh, all, { env: settings.env, timeout: 10_000 }, (error, _stdout, stderr) =>
      error ? reject(forwardRefused(this.#spec.name, stderr, error)) : resolve(),
    )
    await promise
  }

  #set(state: ConnectionState): void {
    if (this.#state.status === 'closed') return
    this.#state = state
    for (const listener of [...this.#listeners]) listener(state)
  }
}

async function abortable<T>(promise: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (!signal) return promise
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const onAbort = () => reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

function closed(host: string): SshHostError {
  const hint = 'open the host again'
  return new SshHostError(`the connection to ${host} was closed`, { code: 'ssh-closed', host, hint })
}

function forwardRefused(host: string, stderr: string, cause: unknown): SshHostError {
  const message = `no way could be made through the connection to ${host}: ${lastLines(stderr) || 'ssh said nothing'}`
  const hint = 'sshd there must allow forwarding (AllowTcpForwarding, AllowStreamLocalForwarding)'
  return new SshHostError(message, { code: 'ssh-forward-refused', host, hint, retryable: true, cause })
}
