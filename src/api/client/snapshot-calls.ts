import {
  type RemovedSnapshot,
  type RestoreSnapshot,
  SNAPSHOT_TYPE,
  type Snapshot,
  type TakeSnapshot,
  type Task,
} from '../contract.ts'
import type { Http } from './http.ts'
import type { CallOptions } from './task-calls.ts'

/** Files and threads can be large. */
const LONG_MS = 30 * 60_000

/** Snapshots of tasks. */
export class SnapshotCalls {
  readonly #http: Http

  constructor(http: Http) {
    this.#http = http
  }

  /** `state` may still be `taking` when this resolves. */
  take(taskId: string, request: TakeSnapshot = {}, options: CallOptions = {}): Promise<Snapshot> {
    const path = `/v1/tasks/${encodeURIComponent(taskId)}/snapshots`
    return this.#http.json('POST', path, { body: request, timeoutMs: LONG_MS, ...options })
  }

  async list(taskId: string, options: CallOptions = {}): Promise<Snapshot[]> {
    const path = `/v1/tasks/${encodeURIComponent(taskId)}/snapshots`
    return (await this.#http.json<{ items: Snapshot[] }>('GET', path, options)).items
  }

  /** Of all tasks. */
  async all(options: CallOptions = {}): Promise<Snapshot[]> {
    return (await this.#http.json<{ items: Snapshot[] }>('GET', '/v1/snapshots', options)).items
  }

  get(id: string, options: CallOptions = {}): Promise<Snapshot> {
    return this.#http.json('GET', of(id), options)
  }

  remove(id: string, options: CallOptions = {}): Promise<RemovedSnapshot> {
    return this.#http.json('POST', `${of(id)}/remove`, options)
  }

  restore(id: string, request: RestoreSnapshot = {}, options: CallOptions = {}): Promise<Task> {
    return this.#http.json('POST', `${of(id)}/restore`, { body: request, timeoutMs: LONG_MS, ...options })
  }

  /** As one file. */
  async download(id: string, options: CallOptions = {}): Promise<ReadableStream<Uint8Array>> {
    return (await this.#http.open('GET', `${of(id)}/file`, options)).body!
  }

  /** From such a file. */
  import(file: AsyncIterable<Uint8Array>, options: CallOptions = {}): Promise<Snapshot> {
    const headers = { 'content-type': SNAPSHOT_TYPE }
    return this.#http.json('POST', '/v1/snapshots', { stream: file, headers, timeoutMs: LONG_MS, ...options })
  }
}

function of(id: string): string {
  return `/v1/snapshots/${encodeURIComponent(id)}`
}
