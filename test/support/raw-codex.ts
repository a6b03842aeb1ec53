// The real codex, spoken to in plain JSON lines: for tests that must not depend on our own client.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { existsSync, globSync } from 'node:fs'
import { createInterface } from 'node:readline'

export interface Message {
  readonly id?: number | string
  readonly method?: string
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever it expects to be there
  readonly params?: any
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly result?: any
  readonly error?: { code: number; message: string }
}

/** Any program that speaks the app-server's stdio. */
export class RawCodex {
  readonly messages: Message[] = []
  readonly child: ChildProcessWithoutNullStreams
  stderr = ''
  readonly #arrivals = new EventEmitter().setMaxListeners(0)
  readonly #exited: Promise<unknown>
  #lastId = 0

  constructor(command: string, { env = {} }: { env?: Record<string, string> } = {}) {
    this.child = spawn(command, ['app-server'], {
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    })
    this.#exited = once(this.child, 'exit')
    this.child.stdin.on('error', () => {})
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text
    })
    createInterface({ input: this.child.stdout }).on('line', (line) => {
      this.messages.push(parsed(line))
      this.#arrivals.emit('message')
    })
  }

  send(message: unknown): void {
    this.child.stdin.write(`${JSON.stringify(message)}\n`)
  }

  /** Sends a request and gives its reply, error or not. */
  async request(method: string, params: unknown = {}): Promise<Message> {
    const id = ++this.#lastId
    this.send({ id, method, params })
    return this.wait((message) => message.id === id && message.method === undefined)
  }

  /** The first message that fits, past or future. */
  async wait(fits: (message: Message) => boolean, timeoutMs = 10_000): Promise<Message> {
    const signal = AbortSignal.timeout(timeoutMs)
    for (let next = 0; ; ) {
      while (next < this.messages.length) {
        const message = this.messages[next++]!
        if (fits(message)) return message
      }
      await once(this.#arrivals, 'message', { signal }).catch(() => {
        throw new Error(
          `no such message in ${timeoutMs} ms; got ${JSON.stringify(this.messages)} ${this.stderr}`,
        )
      })
    }
  }

  all(method: string): Message[] {
    return this.messages.filter((message) => message.method === method)
  }

  /** Handshake, one thread: what nearly every test begins with. */
  async open(thread: Record<string, unknown>): Promise<string> {
    await this.request('initialize', { clientInfo: { name: 'raw', version: '0' } })
    return this.startThread(thread)
  }

  async startThread(thread: Record<string, unknown>): Promise<string> {
    const { result, error } = await this.request('thread/start', thread)
    if (error) throw new Error(error.message)
    return result.thread.id
  }

  /** Runs one turn to its end and gives the turn as `turn/completed` told it. */
  async turn(threadId: string, text: string, timeoutMs?: number) {
    const { result } = await this.request('turn/start', { threadId, input: [{ type: 'text', text }] })
    const ended = await this.wait(({ method, params }) => {
      return method === 'turn/completed' && params.turn.id === result.turn.id
    }, timeoutMs)
    return ended.params.turn
  }

  async close(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill('SIGKILL')
    await this.#exited
  }
}

/** The codex binary of the npm package, for this machine. */
export function bundledCodex(): string {
  const vendor = `node_modules/@openai/codex-${process.platform}-${process.arch}/vendor`
  const found = globSync(`${vendor}/*/bin/codex{,.exe}`).find((file) => existsSync(file))
  if (!found) throw new Error('@openai/codex is not installed for this machine')
  return found
}

function parsed(line: string): Message {
  try {
    return JSON.parse(line) as Message
  } catch {
    return { method: 'not JSON', params: line }
  }
}
