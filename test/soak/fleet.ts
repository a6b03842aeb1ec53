// One app-server and its threads, one for each lane. When it is killed, the next takes its place and the threads go on.
import {
  type Codex,
  type Incident,
  NothingToResumeError,
  openCodex,
  type Thread,
  TransportClosedError,
} from '../../src/codex/index.ts'
import { type LocalHostOptions, localHost } from '../../src/hosts/index.ts'
import type { Ledger } from './ledger.ts'

/** A thread's whole history goes with every call to the model: after so many turns a lane gets a new one. */
const TURNS_PER_THREAD = 50

/** Things that may happen without anybody's fault. */
const HARMLESS = new Set<Incident['type']>(['late-reply', 'commands-left-running'])

interface Seat {
  readonly threadId: string
  readonly thread: Thread
  readonly codex: Codex
  turns: number
}

export interface FleetOptions {
  readonly host: LocalHostOptions
  readonly cwd: string
  readonly ledger: Ledger
}

export class Fleet {
  readonly #options: FleetOptions
  readonly #seats = new Map<number, Seat>()
  readonly #killed = new WeakSet<Codex>()
  #codex: Promise<Codex>
  #opened = 0

  constructor(options: FleetOptions) {
    this.#options = options
    this.#codex = this.#open()
  }

  /** The app-server of this moment; waits while one is being replaced. */
  get codex(): Promise<Codex> {
    return this.#codex
  }

  wasKilled(codex: Codex): boolean {
    return this.#killed.has(codex)
  }

  /** The thread of this lane on the app-server of this moment. */
  async threadOf(lane: number): Promise<{ thread: Thread; codex: Codex }> {
    for (;;) {
      const codex = await this.#codex
      try {
        const seat = await this.#seatOf(lane, codex)
        seat.turns++
        return { thread: seat.thread, codex }
      } catch (error) {
        if (!(error instanceof TransportClosedError && this.wasKilled(codex))) throw error
      }
    }
  }

  /** Lets go of the lane's thread, after something went wrong with it. */
  abandon(lane: number): void {
    this.#seats.delete(lane)
  }

  /** kill -9. Whoever asks for the app-server from now on gets the next one. */
  async kill(): Promise<void> {
    const codex = await this.#codex
    if (this.wasKilled(codex)) return
    this.#killed.add(codex)
    this.#codex = this.#replace(codex)
    await this.#options.ledger.track('the next app-server', this.#codex)
  }

  async close(): Promise<void> {
    const codex = await this.#codex
    await codex.close()
  }

  async #replace(codex: Codex): Promise<Codex> {
    process.kill(codex.pid!, 'SIGKILL')
    this.#options.ledger.count('kills')
    await codex.closed
    await codex.close()
    return this.#open()
  }

  #open(): Promise<Codex> {
    const { host, ledger } = this.#options
    // Every other client is an experimental one, which also ends the commands of interrupted turns.
    return openCodex(localHost(host), {
      experimental: this.#opened++ % 2 === 1,
      onIncident: (incident) => {
        ledger.count(`incident ${incident.type}`)
        if (!HARMLESS.has(incident.type)) ledger.violated(`incident ${JSON.stringify(incident)}`)
      },
    })
  }

  async #seatOf(lane: number, codex: Codex): Promise<Seat> {
    const seat = this.#seats.get(lane)
    if (seat?.codex === codex && seat.turns < TURNS_PER_THREAD) return seat
    if (seat?.codex === codex) await codex.request('thread/unsubscribe', { threadId: seat.threadId })
    const isSpent = !seat || seat.turns >= TURNS_PER_THREAD
    const thread = isSpent ? await this.#start(codex) : await this.#resume(codex, seat.threadId)
    const turns = isSpent ? 0 : seat.turns
    const taken = { threadId: thread.id, thread, codex, turns }
    this.#seats.set(lane, taken)
    return taken
  }

  #start(codex: Codex): Promise<Thread> {
    this.#options.ledger.count('threads started')
    return codex.startThread({ cwd: this.#options.cwd, sandbox: 'workspace-write', approvalPolicy: 'never' })
  }

  async #resume(codex: Codex, threadId: string): Promise<Thread> {
    try {
      const thread = await codex.resumeThread(threadId, { cwd: this.#options.cwd, approvalPolicy: 'never' })
      this.#options.ledger.count('threads resumed')
      return thread
    } catch (error) {
      // codex was killed before it had written the first turn down.
      if (!(error instanceof NothingToResumeError)) throw error
      this.#options.ledger.count('threads with nothing to resume')
      return this.#start(codex)
    }
  }
}
