// What the model hands over while it works, and the answers to it.
import { createHash } from 'node:crypto'
import type { AnswerDeliverable, CallerMessage, Deliverable, EventEnvelope } from '../contract.ts'
import { ApiError } from './api-error.ts'
import type { FollowOptions } from './follow.ts'
import type { Http } from './http.ts'
import type { CallOptions } from './task-calls.ts'

type Follow = (taskId: string, options: FollowOptions) => AsyncIterable<EventEnvelope>

/** Files that the model handed over. */
export class DeliverableCalls {
  readonly #http: Http

  constructor(http: Http) {
    this.#http = http
  }

  async list(taskId: string, options: CallOptions = {}): Promise<Deliverable[]> {
    return (await this.#http.json<{ items: Deliverable[] }>('GET', `${ofTask(taskId)}/deliverables`, options))
      .items
  }

  /** Throws at the end when the bytes are not what was handed over. */
  async *download(taskId: string, number: number, options: CallOptions = {}): AsyncGenerator<Uint8Array> {
    const path = `${ofTask(taskId)}/deliverables/${number}/content`
    const response = await this.#http.open('GET', path, options)
    const hash = createHash('sha256')
    for await (const chunk of response.body ?? []) {
      hash.update(chunk)
      yield chunk
    }
    if (response.headers.get('etag') !== `"${hash.digest('hex')}"`)
      throw new ApiError(`deliverable ${number} of task ${taskId} did not come whole: get it again`, {
        ...{ code: 'unexpected-answer', status: 200 },
      })
  }

  /** The first answer wins. A later one gets `deliverable-answered`, with the deliverable in `details`. */
  answer(
    taskId: string,
    number: number,
    answer: AnswerDeliverable,
    options: CallOptions = {},
  ): Promise<Deliverable> {
    const path = `${ofTask(taskId)}/deliverables/${number}/answer`
    return this.#http.json('POST', path, { body: answer, ...options })
  }

  /** The words reach the model in the turn that runs; else, if there are any, as the next turn. */
  accept(taskId: string, number: number, words?: string, options: CallOptions = {}): Promise<Deliverable> {
    return this.answer(taskId, number, { verdict: 'accepted', ...(words && { words }) }, options)
  }

  sendBack(taskId: string, number: number, words: string, options: CallOptions = {}): Promise<Deliverable> {
    return this.answer(taskId, number, { verdict: 'sent-back', words }, options)
  }
}

/** What the model told this program, with `tell_caller`. */
export class CallerMessageCalls {
  readonly #http: Http
  readonly #follow: Follow

  constructor(http: Http, follow: Follow) {
    this.#http = http
    this.#follow = follow
  }

  /** The newest 200, in order. */
  async list(taskId: string, options: CallOptions = {}): Promise<CallerMessage[]> {
    const path = `${ofTask(taskId)}/caller-messages`
    return (await this.#http.json<{ items: CallerMessage[] }>('GET', path, options)).items
  }

  /** The first answer wins. A later one gets `caller-message-answered`. */
  answer(
    taskId: string,
    messageId: string,
    value: unknown,
    options: CallOptions = {},
  ): Promise<CallerMessage> {
    const path = `${ofTask(taskId)}/caller-messages/${encodeURIComponent(messageId)}/answer`
    return this.#http.json('POST', path, { body: { value }, ...options })
  }

  /**
   * Gives each message that has no answer yet to `hear`, one after the other, and answers with what it returns; undefined: no
   * answer. Ends with the signal, or when the task is deleted. Rejects with what `hear` throws.
   */
  async listen(
    taskId: string,
    hear: (message: CallerMessage) => unknown,
    options: FollowOptions = {},
  ): Promise<void> {
    const heard = new Set<string>()
    for await (const { event } of this.#follow(taskId, options)) {
      if (event.method !== 'drawbridge/caller-message') continue
      for (const message of await this.list(taskId, { signal: options.signal })) {
        if (message.status !== 'sent' || heard.has(message.id)) continue
        heard.add(message.id)
        const value = await hear(message)
        if (value !== undefined) await this.answer(taskId, message.id, value).catch(ignoreAnswered)
      }
    }
  }
}

function ignoreAnswered(error: unknown): void {
  if (!(error instanceof ApiError) || error.code !== 'caller-message-answered') throw error
}

function ofTask(taskId: string): string {
  return `/v1/tasks/${encodeURIComponent(taskId)}`
}
