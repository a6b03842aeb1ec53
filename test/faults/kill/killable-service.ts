// Starts the service, calls it, kills it, starts it again. A call that the kill interrupts is made again by its caller.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const PROGRAM = fileURLToPath(new URL('./service-program.ts', import.meta.url))
const READY_MS = 60_000

export class ServiceGone extends Error {}

export class CallRefused extends Error {
  readonly code: string

  constructor({ message, code }: { message: string; code: string }) {
    super(message)
    this.code = code
  }
}

export class KillableService {
  readonly #dataDir: string
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>()
  readonly incidents: unknown[] = []
  #child: ChildProcess | null = null
  #calls = 0

  constructor(dataDir: string) {
    this.#dataDir = dataDir
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  async start(): Promise<void> {
    const child = fork(PROGRAM, [this.#dataDir], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
    this.#child = child
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    child.on(
      'message',
      (message: { ready?: true; id?: number; value?: unknown; error?: never; incident?: unknown }) => {
        if (message.ready) resolve()
        else if (message.incident) this.incidents.push(message.incident)
        else if (message.id !== undefined) this.#settle(message.id, message)
      },
    )
    child.once('exit', (code, signal) => {
      const gone = new ServiceGone(`the service is gone (${code ?? signal})`)
      reject(gone)
      for (const waiting of this.#waiting.values()) waiting.reject(gone)
      this.#waiting.clear()
    })
    const timer = setTimeout(() => reject(new Error('the service did not come up')), READY_MS)
    await promise.finally(() => clearTimeout(timer))
  }

  // biome-ignore lint/suspicious/noExplicitAny: whatever the service answers; a test reads what it expects
  call(method: string, ...args: unknown[]): Promise<any> {
    const child = this.#child
    if (!child?.connected) return Promise.reject(new ServiceGone('the service is not running'))
    const id = ++this.#calls
    const waiting = Promise.withResolvers<unknown>()
    this.#waiting.set(id, waiting)
    child.send({ id, method, args }, (error) => error && waiting.reject(new ServiceGone(error.message)))
    return waiting.promise
  }

  async kill(): Promise<void> {
    const child = this.#child
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  }

  #settle(
    id: number,
    { value, error }: { value?: unknown; error?: { message: string; code: string } },
  ): void {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (error) waiting?.reject(new CallRefused(error))
    else waiting?.resolve(value)
  }
}
