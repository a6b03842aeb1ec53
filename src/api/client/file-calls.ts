import type { FileList, Upload } from '../contract.ts'
import type { Http } from './http.ts'
import type { CallOptions } from './task-calls.ts'

export interface FileAt {
  /** `folder`: where the task works (the default). `uploads`: what it was given. */
  readonly in?: 'folder' | 'uploads' | undefined
  /** Relative. */
  readonly path?: string | undefined
}

/** A part of a file: both ends are included. */
export interface FilePart {
  readonly from?: number | undefined
  readonly to?: number | undefined
}

export interface DownloadedFile {
  /** As the last part of its path says. */
  readonly name: string
  /** Of what comes: of all of it, or of the part. */
  readonly bytes: number
  readonly body: ReadableStream<Uint8Array>
}

/** No file takes this long; whoever does not want to wait gives a signal. */
const TRANSFER_MS = 24 * 60 * 60_000

/** The files of tasks. */
export class FileCalls {
  readonly #http: Http

  constructor(http: Http) {
    this.#http = http
  }

  /** What is in a folder. */
  list(taskId: string, at: FileAt = {}, options: CallOptions = {}): Promise<FileList> {
    return this.#http.json('GET', `${ofTask(taskId)}/files`, { query: { ...at }, ...options })
  }

  /** The body must be read to its end or cancelled. */
  async download(
    taskId: string,
    { from, to, ...at }: FileAt & FilePart & { readonly path: string },
    options: CallOptions = {},
  ): Promise<DownloadedFile> {
    const isPart = from !== undefined || to !== undefined
    const response = await this.#http.open('GET', `${ofTask(taskId)}/files/content`, {
      query: { ...at },
      ...(isPart && { headers: { range: `bytes=${from ?? 0}-${to ?? ''}` } }),
      ...options,
    })
    const bytes = Number(response.headers.get('content-length') ?? 0)
    const body = response.body ?? new Blob([]).stream()
    return { name: at.path.split('/').at(-1)!, bytes, body }
  }

  async uploads(taskId: string, options: CallOptions = {}): Promise<Upload[]> {
    const { items } = await this.#http.json<{ items: Upload[] }>('GET', `${ofTask(taskId)}/uploads`, options)
    return items
  }

  /** Before a message tells of it; afterwards it is refused. */
  takeBack(taskId: string, uploadId: string, options: CallOptions = {}): Promise<Upload> {
    return this.#http.json('DELETE', `${ofTask(taskId)}/uploads/${encodeURIComponent(uploadId)}`, options)
  }

  /** All of them or none. The model is told of them with the next message. */
  async upload(
    taskId: string,
    files: readonly { readonly name: string; readonly data: Blob }[],
    options: CallOptions = {},
  ): Promise<Upload[]> {
    const form = new FormData()
    for (const { name, data } of files) form.append('file', data, name)
    const { items } = await this.#http.json<{ items: Upload[] }>('POST', `${ofTask(taskId)}/uploads`, {
      form,
      timeoutMs: TRANSFER_MS,
      ...options,
    })
    return items
  }
}

function ofTask(taskId: string): string {
  return `/v1/tasks/${encodeURIComponent(taskId)}`
}
