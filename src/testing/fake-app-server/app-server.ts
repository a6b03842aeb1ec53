import { randomUUID } from 'node:crypto'
import { closeSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { spawnFakeChild } from './child.ts'
import { defaultActions, defaultResult } from './default-replies.ts'
import { appendEvent } from './journal.ts'
import { fill } from './placeholders.ts'
import { type Action, error, type FakeMessage, type FakeScript, type RequestId } from './script.ts'
import { FakeThreads } from './threads.ts'

type Params = Readonly<Record<string, unknown>>
type Bindings = Record<string, unknown>

/** Plays the app-server's side of stdio from a script. */
export class FakeAppServer {
  readonly #script: FakeScript & { version: string }
  readonly #folder: string
  readonly #threads: FakeThreads
  readonly #used = new Map<number, number>()
  readonly #answers = new Map<RequestId, PromiseWithResolvers<unknown>>()
  #isInitialized = false

  constructor(script: FakeScript & { version: string }, folder: string) {
    this.#script = script
    this.#folder = folder
    this.#threads = new FakeThreads(script.version)
  }

  async start(): Promise<void> {
    await this.#play(this.#script.onStart ?? [], { method: '', bindings: {} })
  }

  receive(line: string): void {
    const message = parsed(line)
    if (!message) return appendEvent(this.#folder, { event: 'garbage', pid: process.pid, text: line })
    appendEvent(this.#folder, { event: 'received', pid: process.pid, message })
    const { id, method } = message
    if (method === undefined) return this.#answer(id ?? '').resolve(message.result ?? message.error)
    const step = this.#stepFor(method)
    if (id === undefined) return void this.#play(step ?? [], { method, bindings: this.#bindings(message) })
    const refusal = this.#handshakeProblem(method)
    const actions = refusal ? [error(-32600, refusal)] : (step ?? [{ do: 'default' } as const])
    void this.#play(actions, { method, bindings: this.#bindings(message) })
  }

  #stepFor(method: string): readonly Action[] | undefined {
    for (const [index, step] of (this.#script.steps ?? []).entries()) {
      const used = this.#used.get(index) ?? 0
      if (step.on !== method || used >= (step.times ?? Number.POSITIVE_INFINITY)) continue
      this.#used.set(index, used + 1)
      return step.do
    }
    return undefined
  }

  #handshakeProblem(method: string): string | undefined {
    const wasInitialized = this.#isInitialized
    if (method === 'initialize') this.#isInitialized = true
    if (method === 'initialize' && wasInitialized) return 'Already initialized'
    return this.#isInitialized ? undefined : 'Not initialized'
  }

  /** What the placeholders stand for while this message is served. */
  #bindings({ id, method, params: given }: FakeMessage): Bindings {
    const params = (given ?? {}) as Params
    const cwd = typeof params.cwd === 'string' ? params.cwd : undefined
    const threadId = typeof params.threadId === 'string' ? params.threadId : randomUUID()
    if (method?.startsWith('thread/') || method?.startsWith('turn/')) this.#threads.thread(threadId, cwd)
    const turnId =
      method === 'turn/start' ? this.#threads.beginTurn(threadId) : this.#turnId(params, threadId)
    const served = { params, threads: this.#threads, version: this.#script.version, threadId, turnId }
    const result = defaultResult(method ?? '', served) ?? {}
    return { id, threadId, turnId, text: textOf(params.input), result }
  }

  #turnId(params: Params, threadId: string): string {
    const named = params.turnId ?? params.expectedTurnId
    return typeof named === 'string' ? named : (this.#threads.lastTurnId(threadId) ?? 'no-turn')
  }

  async #play(actions: readonly Action[], serving: { method: string; bindings: Bindings }): Promise<void> {
    for (const action of actions) await this.#do(action, serving)
  }

  async #do(action: Action, serving: { method: string; bindings: Bindings }): Promise<void> {
    switch (action.do) {
      case 'default':
        return this.#play(defaultActions(serving.method), serving)
      case 'send':
        return this.#send(fill(action.message, serving.bindings) as FakeMessage)
      case 'raw':
        return write(Buffer.from(action.base64, 'base64'))
      case 'oversize': {
        const [before, after] = ['{"method":"fake/oversize","params":{"padding":"', '"}}']
        return write(`${before}${'x'.repeat(action.bytes - before.length - after.length)}${after}\n`)
      }
      case 'stderr':
        return void process.stderr.write(action.text)
      case 'closeStdout':
        return closeSync(1)
      case 'delay':
        return wait(action.ms)
      case 'waitForAnswer':
        serving.bindings.answer = await this.#answer(action.id).promise
        return
      case 'spawnChild': {
        const childPid = spawnFakeChild(this.#folder, action)
        return appendEvent(this.#folder, { event: 'childStarted', pid: process.pid, childPid })
      }
      case 'exit':
        return process.exit(action.code)
      case 'crash':
        return void process.kill(process.pid, 'SIGKILL')
    }
  }

  #send(message: FakeMessage): Promise<void> {
    this.#threads.told(message)
    return write(`${JSON.stringify(message)}\n`)
  }

  #answer(id: RequestId): PromiseWithResolvers<unknown> {
    const known = this.#answers.get(id)
    if (known) return known
    const made = Promise.withResolvers<unknown>()
    this.#answers.set(id, made)
    return made
  }
}

// Waits until the bytes have left, so that a crash or an exit that follows does not take them along.
function write(bytes: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => process.stdout.write(bytes, () => resolve()))
}

function parsed(line: string): FakeMessage | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

function textOf(input: unknown): string {
  if (!Array.isArray(input)) return ''
  return input.map((piece: { text?: unknown }) => (typeof piece.text === 'string' ? piece.text : '')).join('')
}
