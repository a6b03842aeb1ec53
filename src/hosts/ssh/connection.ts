// One connection per host: made when it is needed, kept, and made again with growing pauses when it is lost.
import { setTimeout as delay } from 'node:timers/promises'
import { backoffMs } from '../../util/backoff.ts'
import { removeFiles } from '../remove-files.ts'
import type { ConnectionState, ConnectionTimes } from './connection-state.ts'
import { lastLines } from './explain-failure.ts'
import { closeForward, type Forward, openForward } from './forward.ts'
import { type Master, startMaster } from './master.ts'
import { Permits } from './permits.ts'
import { runScript, type Script, type ScriptEnd } from './run-script.ts'
import { openSession, type Session } from './session.ts'
import type { SshSettings } from './ssh-arguments.ts'
import { SshHostError } from './ssh-host-error.ts'
import type { SshHostSpec } from './ssh-target.ts'

export interface ConnectionOptions {
  readonly settings: SshSettings
  /** A new one at each call, in a folder that is ours alone. */
  readonly controlPath: () => string
  readonly recordFile: string
  readonly times: ConnectionTimes
  readonly now: () => number
  readonly random: () => number
}

/** sshd takes ten sessions on a connection by default. A command may take long: short questions do not wait for it. */
const MAX_SCRIPTS = 4
const MAX_COMMANDS = 3
const MAX_STREAMS = 2
/** A deadline grows by so many round trips. */
const ROUND_TRIPS = 20
const NOTICE_MS = 1_000

export class SshConnection {
  readonly #spec: SshHostSpec
  readonly #options: ConnectionOptions
  readonly #permits = new Permits(MAX_SCRIPTS)
  readonly #sessions = { command: new Permits(MAX_COMMANDS), stream: new Permits(MAX_STREAMS) }
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

  /** Something was changed here: a broken connection may be tried at once. */
  forgive(): void {
    this.#failures = 0
    this.#lastTryAt = Number.NEGATIVE_INFINITY
  }

  /** Runs a script there; while the connection is being made again it waits for that. */
  async run(script: Script): Promise<ScriptEnd> {
    const master = await this.#ready(script.signal)
    try {
      return await this.#runOn(master, script)
    } catch (error) {
      if (!script.isRepeatable || (error as Partial<SshHostError>).code !== 'ssh-cut') throw error
      // Its end may come a moment after the end of what went through it.
      await Promise.race([master.ended, delay(NOTICE_MS, null, { ref: false })])
      return await this.#runOn(await this.#ready(script.signal), script)
    }
  }

  async #runOn(master: Master, script: Script): Promise<ScriptEnd> {
    const letGo = await this.#permits.take(script.signal)
    try {
      const timeoutMs = this.deadline(script.timeoutMs)
      return await runScript({ ...script, timeoutMs }, this.#through(master))
    } finally {
      letGo()
    }
  }

  /** A script with its streams. Its place is taken until it has ended. */
  async session(
    text: string,
    { kind, signal }: { kind: 'command' | 'stream'; signal?: AbortSignal | undefined },
  ): Promise<Session> {
    const letGo = await this.#sessions[kind].take(signal)
    const master = await this.#ready(signal).catch((error) => {
      letGo()
      throw error
    })
    const session = openSession(text, this.#through(master))
    void session.ended.catch(() => {}).finally(letGo)
    return session
  }

  /** What connects to the local socket reaches the remote end, now and after every new connection. */
  async forward(forward: Forward, { signal }: { signal?: AbortSignal } = {}): Promise<void> {
    const { local, remote } = forward
    const earlier = this.#forwards.get(local)
    if (earlier === remote && this.#master) return
    const through = this.#through(await this.#ready(signal))
    if (earlier !== undefined) await closeForward({ local, remote: earlier }, through).catch(() => {})
    await openForward(forward, through)
    this.#forwards.set(local, remote)
  }

  /** The way is not needed any more. */
  async unforward(local: string): Promise<void> {
    const remote = this.#forwards.get(local)
    this.#forwards.delete(local)
    if (remote !== undefined && this.#master)
      await closeForward({ local, remote }, this.#through(this.#master)).catch(() => {})
    removeFiles(local)
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
      for (const [local, remote] of this.#forwards) {
        await openForward({ local, remote }, this.#through(master))
      }
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

  async #measure(master: Master): Promise<number> {
    const begunAt = performance.now()
    const { connectMs: timeoutMs } = this.#options.times
    await runScript({ text: ':', timeoutMs, signal: this.#closing.signal }, this.#through(master))
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

  #through({ controlPath }: Master) {
    return { host: this.#spec.name, controlPath, settings: this.#options.settings }
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
