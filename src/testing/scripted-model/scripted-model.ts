// A model on loopback that says what a script says: the OpenAI Responses API, as much of it as codex uses.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { httpError } from './faults.ts'
import { type ModelRequest, toModelRequest } from './model-request.ts'
import { partsOf, type Reply } from './reply.ts'
import { sendReply } from './send-reply.ts'

/** Replies in order of the calls, or a function of the call: use the function when several threads run at once. */
export type ModelScript =
  | readonly Reply[]
  | ((request: ModelRequest, callIndex: number) => Reply | Promise<Reply>)

export interface ScriptedModelOptions {
  /** Say the last reply of the array again and again instead of running out. */
  readonly repeatLast?: boolean
  /** Default 0: any that is free. */
  readonly port?: number
}

/** Starts a scripted model on a free port of 127.0.0.1. */
export async function startScriptedModel(
  script: ModelScript,
  options: ScriptedModelOptions = {},
): Promise<ScriptedModel> {
  const server = createServer()
  server.listen(options.port ?? 0, '127.0.0.1')
  await once(server, 'listening')
  return new ScriptedModel(server, toFunction(script, options.repeatLast ?? false))
}

class ScriptedModel {
  /** What codex calls `base_url`. */
  readonly url: string
  /** The model calls so far, oldest first. */
  readonly requests: ModelRequest[] = []
  /** What went wrong on the script's side: it ran out, it threw, it was asked something it cannot answer. */
  readonly problems: string[] = []
  readonly #server: Server
  readonly #answer: (request: ModelRequest, callIndex: number) => Reply | Promise<Reply>
  readonly #closed = new AbortController()
  readonly #arrivals = new EventTarget()

  constructor(server: Server, answer: (request: ModelRequest, callIndex: number) => Reply | Promise<Reply>) {
    this.#server = server
    this.#answer = answer
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
    server.on('request', (request, response) => void this.#serve(request, response))
  }

  /** Resolves once codex has made this many calls; rejects at the deadline, or when the model is closed. */
  async waitForRequests(count: number, options: { timeoutMs?: number; signal?: AbortSignal } = {}) {
    const { timeoutMs = 10_000, signal } = options
    const deadline = AbortSignal.timeout(timeoutMs)
    const ended = AbortSignal.any([deadline, this.#closed.signal, ...(signal ? [signal] : [])])
    while (this.requests.length < count) {
      const arrived = await once(this.#arrivals, 'request', { signal: ended }).catch(() => null)
      if (arrived) continue
      signal?.throwIfAborted()
      const why = deadline.aborted ? `within ${timeoutMs} ms` : 'before the model was closed'
      throw new Error(`codex made ${this.requests.length} of ${count} model calls ${why}`)
    }
    return this.requests.slice(0, count)
  }

  /** Ends every connection at once. Idempotent. */
  async close(): Promise<void> {
    this.#closed.abort()
    if (!this.#server.listening) return
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const body = await readBody(request)
      const reply = await this.#reply(request, body)
      await sendReply(partsOf(reply), { response, signal: this.#closed.signal })
    } catch {
      // codex went away or we closed: there is nobody left to tell.
      response.destroy()
    }
  }

  async #reply(request: IncomingMessage, body: string): Promise<Reply> {
    const path = request.url ?? ''
    const route = `${request.method} ${path.split('?')[0]}`
    if (route === 'GET /v1/models') return httpError(200, { object: 'list', data: [], models: [] })
    if (route !== 'POST /v1/responses') return this.#refuse(404, `the scripted model has no ${route}`)
    try {
      const call = toModelRequest(request, body)
      this.requests.push(call)
      this.#arrivals.dispatchEvent(new Event('request'))
      return await this.#answer(call, this.requests.length - 1)
    } catch (error) {
      return this.#refuse(400, error instanceof Error ? error.message : String(error))
    }
  }

  // 400 because codex hides the body of a 500 behind "we're experiencing high demand", and retries it.
  #refuse(status: number, problem: string): Reply {
    this.problems.push(problem)
    return httpError(status, { error: { message: problem } })
  }
}

export type { ScriptedModel }

function toFunction(script: ModelScript, repeatLast: boolean) {
  if (typeof script === 'function') return script
  return (_request: ModelRequest, callIndex: number): Reply => {
    const reply = script[callIndex] ?? (repeatLast ? script.at(-1) : undefined)
    if (reply !== undefined) return reply
    throw new Error(
      `the script is exhausted: it has ${script.length} replies and this is call ${callIndex + 1}`,
    )
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}
