import type {
  ChangeTask,
  CountedTasks,
  EventEnvelope,
  EventPage,
  EventQuery,
  ForkTask,
  Message,
  OpenTask,
  Page,
  ResumeTask,
  SendMessage,
  StartTask,
  SteerTurn,
  Task,
  TaskDetail,
  TaskStatus,
  Terminal,
} from '../contract.ts'
import { ApiError } from './api-error.ts'
import { beforeNext, type FollowOptions, reconnecting } from './follow.ts'
import type { Http } from './http.ts'

export interface CallOptions {
  readonly signal?: AbortSignal | undefined
}

/** A repeated call with the same key does nothing more. */
export interface OnceOptions extends CallOptions {
  readonly key?: string | undefined
}

export interface TaskFilter {
  readonly status?: readonly TaskStatus[] | undefined
  /** Of those with the status waiting, only those that wait for their worker, or for a person. */
  readonly waitingFor?: 'worker' | 'person' | undefined
  readonly labels?: readonly string[] | undefined
  readonly search?: string | undefined
  readonly cwd?: string | undefined
  /** Started by this task. */
  readonly parent?: string | undefined
  /** Started by this task, or below one that was. */
  readonly below?: string | undefined
  readonly archived?: boolean | 'only' | undefined
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

export interface WaitOptions extends CallOptions {
  /** Default: as long as it takes. */
  readonly timeoutMs?: number | undefined
  /** Wait on while the task waits for somebody. */
  readonly through?: boolean | undefined
  /** Told before each new attempt to reach a service that is gone; throw to give up. */
  readonly onReconnect?: ((lost: ApiError, attempt: number) => void) | undefined
}

/** One long poll. */
const POLL_MS = 60_000

export class TaskCalls {
  readonly #http: Http

  constructor(http: Http) {
    this.#http = http
  }

  start(request: StartTask, { key, signal }: OnceOptions = {}): Promise<Task> {
    return this.#http.json('POST', '/v1/tasks', { body: request, headers: once(key), signal })
  }

  list(filter: TaskFilter = {}, options: CallOptions = {}): Promise<Page<Task>> {
    return this.#http.json('GET', '/v1/tasks', { query: { ...filter }, ...options })
  }

  /** How many there are, however long the list would be. */
  count(filter: Omit<TaskFilter, 'limit' | 'cursor'> = {}, options: CallOptions = {}): Promise<CountedTasks> {
    return this.#http.json('GET', '/v1/tasks/counts', { query: { ...filter }, ...options })
  }

  get(taskId: string, options: CallOptions = {}): Promise<Task> {
    return this.#http.json('GET', at(taskId), options)
  }

  /** With its open questions, waiting messages and newest events. */
  show(taskId: string, { events, signal }: CallOptions & { events?: number } = {}): Promise<TaskDetail> {
    return this.#http.json('GET', at(taskId, 'detail'), { query: { events }, signal })
  }

  change(taskId: string, fields: ChangeTask, options: CallOptions = {}): Promise<Task> {
    return this.#http.json('PATCH', at(taskId), { body: fields, ...options })
  }

  delete(taskId: string, options: CallOptions = {}): Promise<void> {
    return this.#http.json('DELETE', at(taskId), options)
  }

  /** The next turn: now if the task is free. */
  send(taskId: string, message: SendMessage, { key, signal }: OnceOptions = {}): Promise<Message> {
    return this.#http.json('POST', at(taskId, 'turns'), { body: message, headers: once(key), signal })
  }

  /** Into the running turn. */
  steer(taskId: string, message: SteerTurn, { key, signal }: OnceOptions = {}): Promise<Message> {
    return this.#http.json('POST', at(taskId, 'steer'), { body: message, headers: once(key), signal })
  }

  cancelMessage(taskId: string, messageId: string, options: CallOptions = {}): Promise<Message> {
    return this.#http.json('DELETE', at(taskId, 'messages', messageId), options)
  }

  /** `children`: also all tasks below it. */
  interrupt(taskId: string, { children, signal }: CallOptions & { children?: boolean } = {}): Promise<Task> {
    return this.#http.json('POST', at(taskId, 'interrupt'), {
      ...(children && { body: { children } }),
      signal,
    })
  }

  fork(taskId: string, fork: ForkTask = {}, { key, signal }: OnceOptions = {}): Promise<Task> {
    return this.#http.json('POST', at(taskId, 'fork'), { body: fork, headers: once(key), signal })
  }

  resume(taskId: string, resume: ResumeTask = {}, options: CallOptions = {}): Promise<Task> {
    return this.#http.json('POST', at(taskId, 'resume'), { body: resume, ...options })
  }

  /** A task without a prompt, for a terminal on the service's machine. */
  open(request: OpenTask, options: CallOptions = {}): Promise<Task> {
    return this.#http.json('POST', '/v1/terminals', { body: request, ...options })
  }

  /** Opens the thread for codex's own terminal, and says where it is. */
  attach(taskId: string, options: CallOptions = {}): Promise<Terminal> {
    return this.#http.json('POST', at(taskId, 'terminal'), options)
  }

  /** A terminal is still there. */
  keepTerminal(taskId: string, options: CallOptions = {}): Promise<void> {
    return this.#http.json('POST', at(taskId, 'terminal', 'keep'), options)
  }

  /**
   * The task when it has ended, waits for somebody (unless `through`), or the time is up. Waits on across a restart of
   * the service.
   */
  async wait(taskId: string, options: WaitOptions = {}): Promise<Task> {
    const { timeoutMs, through = false, signal, onReconnect } = options
    const endsAt = timeoutMs === undefined ? Number.POSITIVE_INFINITY : Date.now() + timeoutMs
    const ask = (ms: number) =>
      this.#http.json<Task>('POST', at(taskId, 'wait'), {
        body: { timeoutMs: Math.ceil(ms), through },
        signal,
        timeoutMs: POLL_MS * 2,
      })
    // Asked at once, so that a service that is not there is told at once.
    let task = await ask(0)
    for (let attempt = 0; !isSettled(task, through) && Date.now() < endsAt; ) {
      const leftMs = endsAt - Date.now()
      try {
        task = await ask(Math.min(POLL_MS, leftMs))
        if (leftMs <= POLL_MS) break
        attempt = 0
      } catch (error) {
        if (!(error instanceof ApiError) || !error.retryable || Date.now() >= endsAt) throw error
        onReconnect?.(error, ++attempt)
        await beforeNext(error, attempt, signal)
        signal?.throwIfAborted()
      }
    }
    return task
  }

  /** Takes away the mark of what the model wanted a person to see. */
  seen(taskId: string, options: CallOptions = {}): Promise<void> {
    return this.#http.json('POST', `/v1/tasks/${encodeURIComponent(taskId)}/seen`, options)
  }

  events(taskId: string, query: EventQuery = {}, options: CallOptions = {}): Promise<EventPage> {
    return this.#http.json('GET', at(taskId, 'events'), { query: { ...query }, ...options })
  }

  /** The whole of an event that was too large for the log. */
  wholeEvent(taskId: string, seq: number, options: CallOptions = {}): Promise<EventEnvelope['event']> {
    return this.#http.json('GET', at(taskId, 'events', String(seq)), options)
  }

  /** Stored events, then live ones, without gap or double, across lost connections. Ends with the signal only. */
  async *follow(
    taskId: string,
    { after = 0, ...options }: FollowOptions = {},
  ): AsyncGenerator<EventEnvelope> {
    const path = at(taskId, 'events', 'stream')
    let last = after
    for await (const messages of reconnecting(this.#http, path, { lastId: String(after), ...options })) {
      for (const { data } of messages) {
        const event = JSON.parse(data) as EventEnvelope
        if (event.seq <= last) continue
        last = event.seq
        yield event
      }
    }
  }

  /** Our own events of all tasks, live. After `onReconnect` some may be missing: ask for the lists again. */
  async *followAll(options: Omit<FollowOptions, 'after'> = {}): AsyncGenerator<EventEnvelope> {
    for await (const messages of reconnecting(this.#http, '/v1/stream', { lastId: null, ...options }))
      for (const { data } of messages) yield JSON.parse(data) as EventEnvelope
  }
}

function at(taskId: string, ...rest: readonly string[]): string {
  return ['/v1/tasks', ...[taskId, ...rest].map(encodeURIComponent)].join('/')
}

function once(key: string | undefined): Record<string, string | undefined> {
  return { 'idempotency-key': key }
}

/** Nobody can answer a task that waits for its worker. */
function isSettled({ status, waitingFor }: Task, through: boolean): boolean {
  if (status === 'waiting') return waitingFor !== 'worker' && !through
  return status !== 'queued' && status !== 'starting' && status !== 'working'
}
