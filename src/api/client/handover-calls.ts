// What the model hands over while it works, and the answers to it.
import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { backoffMs } from '../../util/backoff.ts'
import type { AnswerDeliverable, CallerMessage, Deliverable, EventEnvelope } from '../contract.ts'
import { ApiError } from './api-error.ts'
import { BACKOFF, type FollowOptions } from './follow.ts'
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

  /** In order: the newest 200, or all of one status. */
  async list(
    taskId: string,
    { status, ...options }: CallOptions & Pick<Partial<CallerMessage>, 'status'> = {},
  ): Promise<CallerMessage[]> {
    const path = `${ofTask(taskId)}/caller-messages`
    return (await this.#http.json<{ items: CallerMessage[] }>('GET', path, { query: { status }, ...options }))
      .items
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
      const { messageId, status } = event.params as { messageId: string; status: string }
      if (status !== 'sent' || heard.has(messageId)) continue
      const open = await whenReached(() => this.list(taskId, { status: 'sent' }), options)
      for (const message of open ?? []) {
        if (options.signal?.aborted) return
        if (heard.has(message.id)) continue
        heard.add(message.id)
        const value = await hear(message)
        const answer = () => this.answer(taskId, message.id, value).catch(ignoreAnswered)
        if (value !== undefined) await whenReached(answer, options)
      }
    }
  }
}

/** Again while the service is away, as for the stream that is followed. Without a result when the signal ends it. */
async function whenReached<T>(
  call: () => Promise<T>,
  { signal, onReconnect }: FollowOptions,
): Promise<T | undefined> {
  for (let attempt = 1; !signal?.aborted; attempt++) {
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof ApiError) || !error.retryable) throw error
      onReconnect?.(error, attempt)
      await pause(backoffMs(attempt, BACKOFF), undefined, { signal }).catch(() => {})
    }
  }
  return undefined
}

function ignoreAnswered(error: unknown): void {
  if (!(error instanceof ApiError) || error.code !== 'caller-message-answered') throw error
}

function ofTask(taskId: string): string {
  return `/v1/tasks/${encodeURIComponent(taskId)}`
}
