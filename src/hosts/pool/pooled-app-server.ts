import type { Host } from '../../codex/index.ts'
import type { AppServerEnd } from '../owned-app-server.ts'
import type { AppServerProcess } from './app-server-process.ts'

/** Which codex, on which home, for which machine. */
export interface AppServerKey {
  /** null: the default. */
  readonly codexPath: string | null
  /** null: the default. */
  readonly codexHome: string | null
  /** The host in exec mode whose threads it has, and no others; null: those that work on its own machine. */
  readonly execHost: string | null
}

/** For people who operate it. */
export interface AppServerFacts {
  readonly id: string
  readonly pid: number | null
  readonly key: AppServerKey
  readonly codexVersion: string | null
  readonly startedAt: number
  readonly state: 'starting' | 'running' | 'draining'
  readonly holds: number
  /** null where the system does not tell. */
  readonly memoryBytes: number | null
}

/** Whoever was given one has this long to hold it. */
const HAND_OVER_MS = 5_000
const REFUSALS_BEFORE_DRAIN = 4

/** One codex process of the pool: who holds it, and whether it still takes new threads. */
export class PooledAppServer {
  readonly key: AppServerKey
  readonly process: AppServerProcess
  memoryBytes: number | null = null
  readonly #now: () => number
  readonly #onFree: () => void
  readonly #holds = new Set<symbol>()
  #usedAt: number
  /** Given to somebody who does not hold it yet. */
  #handedOut = 0
  #refusals = 0
  #drainedFor: string | null = null

  constructor(
    process: AppServerProcess,
    options: { readonly key: AppServerKey; readonly now: () => number; readonly onFree: () => void },
  ) {
    this.process = process
    this.key = options.key
    this.#now = options.now
    this.#onFree = options.onFree
    this.#usedAt = options.now()
  }

  get id(): string {
    return this.process.id
  }

  get host(): Host {
    return this.process.host
  }

  /** Where other clients reach it, and which codex it is. */
  get socket(): { path: string; codexPath: string; codexVersion: string } | null {
    const { socketPath: path, codexPath, codexVersion } = this.process
    return path === null ? null : { path, codexPath, codexVersion }
  }

  get outlivesUs(): boolean {
    return this.process.outlivesUs
  }

  get ended(): Promise<AppServerEnd> {
    return this.process.ended
  }

  get isDraining(): boolean {
    return this.#drainedFor !== null
  }

  isAlive(): boolean {
    return this.process.isAlive()
  }

  hold(): () => void {
    const held = Symbol('hold')
    this.#holds.add(held)
    this.#handedOut = Math.max(0, this.#handedOut - 1)
    return () => {
      if (!this.#holds.delete(held)) return
      this.#usedAt = Math.max(this.#usedAt, this.#now())
      if (this.#holds.size === 0) this.#onFree()
    }
  }

  /** Somebody holds it, or was just given it and is about to. */
  get isNeeded(): boolean {
    return this.#holds.size > 0 || (this.#handedOut > 0 && this.#usedAt > this.#now())
  }

  /** Somebody is given it, and will hold it. */
  handOut(): void {
    const now = this.#now()
    // Those of before have held it by now, or never will.
    this.#handedOut = this.#usedAt > now ? this.#handedOut + 1 : 1
    this.#usedAt = now + HAND_OVER_MS
  }

  /** One that keeps refusing connections may be stuck: whoever is connected stays, new threads go elsewhere. */
  noteConnection(wasTaken: boolean): void {
    this.#refusals = wasTaken ? 0 : this.#refusals + 1
    if (this.#refusals >= REFUSALS_BEFORE_DRAIN) this.drain('it takes no more connections')
  }

  drain(why: string): void {
    this.#drainedFor ??= why
  }

  /** At once, with all it started, whoever holds it. */
  end(why: string): Promise<void> {
    this.drain(why)
    return this.process.end(why)
  }

  /** Why it may be ended now; null when it may not. */
  whyEnd({ idleMs }: { readonly idleMs: number }): string | null {
    const unusedMs = this.#now() - this.#usedAt
    if (this.#holds.size > 0 || unusedMs < 0) return null
    if (this.#drainedFor) return this.#drainedFor
    return unusedMs >= idleMs ? `nothing has needed it for ${Math.round(unusedMs / 1000)} s` : null
  }

  facts(): AppServerFacts {
    const { id, pid, codexVersion, startedAt } = this.process
    const state = this.isDraining || !this.isAlive() ? 'draining' : 'running'
    const { key, memoryBytes } = this
    return { id, pid, key, codexVersion, startedAt, state, holds: this.#holds.size, memoryBytes }
  }
}
