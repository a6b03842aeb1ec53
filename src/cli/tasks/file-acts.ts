import { randomUUID } from 'node:crypto'
import { createWriteStream, existsSync, openAsBlob, statSync } from 'node:fs'
import { link, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { ApiError, type DownloadedFile, type FileEntry } from '../../api/index.ts'
import { EXIT, type Surroundings, UsageError } from '../process/index.ts'
import { count, printJson, tell, visibleLine } from '../screen/index.ts'
import { type ServiceFlags, serviceClient } from '../service/index.ts'
import { findTaskId } from './find-id.ts'

export interface FilesFlags extends ServiceFlags {
  readonly uploads?: boolean
}

export interface DownloadFlags extends FilesFlags {
  readonly output?: string
  readonly force?: boolean
}

export type UploadFlags = ServiceFlags

interface Acting<Flags> {
  readonly flags: Flags
  readonly surroundings: Surroundings
}

export async function listFiles(
  given: string,
  folder: string,
  { flags, surroundings }: Acting<FilesFlags>,
): Promise<number> {
  const client = await serviceClient(flags, surroundings)
  const id = await findTaskId(client, given)
  const listing = await client.files.list(id, { in: placeOf(flags), path: folder })
  if (flags.json) printJson(surroundings, listing)
  else {
    for (const entry of listing.entries) surroundings.stdout.write(`${entryLine(entry)}\n`)
    if (listing.isCut) tell(surroundings, 'There are more: this is the beginning.')
    if (listing.entries.length === 0) tell(surroundings, 'Nothing is in it.')
  }
  return EXIT.done
}

export async function downloadFile(
  given: string,
  from: string,
  { flags, surroundings }: Acting<DownloadFlags>,
): Promise<number> {
  const to = flags.output ?? localName(from)
  const isStdout = to === '-'
  if (isStdout && flags.json)
    throw new UsageError('--json and -o - both want standard output: use one of them')
  const target = path.resolve(to)
  if (!isStdout && !flags.force && existsSync(target))
    throw new UsageError(`${to} is there already: give another name with -o, or --force`)
  const client = await serviceClient(flags, surroundings)
  const id = await findTaskId(client, given)
  const file = await client.files.download(id, { in: placeOf(flags), path: from })
  if (isStdout) await pipeline(bytesOf(file), surroundings.stdout, { end: false })
  else await save(file, target, flags.force ?? false)
  if (flags.json) printJson(surroundings, { path: target, bytes: file.bytes })
  else if (!isStdout) tell(surroundings, `${visibleLine(to)}: ${file.bytes} bytes`)
  return EXIT.done
}

export async function uploadFiles(
  given: string,
  names: readonly string[],
  { flags, surroundings }: Acting<UploadFlags>,
): Promise<number> {
  const paths = names.map((name) => path.resolve(name))
  for (const [index, each] of paths.entries())
    if (!statSync(each, { throwIfNoEntry: false })?.isFile())
      throw new UsageError(`${names[index]} is not a file`)
  const client = await serviceClient(flags, surroundings)
  const id = await findTaskId(client, given)
  const files = await Promise.all(
    paths.map(async (each) => ({ name: path.basename(each), data: await openAsBlob(each) })),
  )
  await refuseTooLarge(client, id, files)
  const uploads = await client.files.upload(id, files)
  if (flags.json) printJson(surroundings, uploads)
  else {
    for (const { path: place } of uploads) surroundings.stdout.write(`${visibleLine(place)}\n`)
    tell(surroundings, `${count(uploads.length, 'file')} uploaded. The model is told with the next message.`)
  }
  return EXIT.done
}

/**
 * The service refuses a large file while it is being sent, and closes the connection soon after: on a busy machine its
 * answer can be lost. What is known to be too large is not sent.
 */
async function refuseTooLarge(
  client: Awaited<ReturnType<typeof serviceClient>>,
  id: string,
  files: readonly { readonly name: string; readonly data: Blob }[],
): Promise<void> {
  const listing = await client.files.list(id, { in: 'uploads' }).catch(() => null)
  if (listing === null) return
  const { maxFileBytes } = listing.limits
  const found = files.find(({ data }) => data.size > maxFileBytes)
  if (!found) return
  const message = `${found.name} is too large: a file may have ${maxFileBytes} bytes (uploads.maxFileBytes in settings.json)`
  throw new ApiError(message, {
    ...{ code: 'file-too-large', status: 413, retryAfterMs: null },
    details: { name: found.name, maxFileBytes },
  })
}

function placeOf({ uploads = false }: FilesFlags): 'folder' | 'uploads' {
  return uploads ? 'uploads' : 'folder'
}

function entryLine({ name, kind, bytes, target }: FileEntry): string {
  const size = String(bytes ?? '').padStart(12)
  const shown = visibleLine(name)
  if (kind === 'folder') return `${size}  ${shown}/`
  if (kind === 'link') return `${size}  ${shown} -> ${visibleLine(target ?? '?')}`
  return kind === 'other' ? `${size}  ${shown} (not a file)` : `${size}  ${shown}`
}

function localName(from: string): string {
  const name = from.split('/').at(-1)!
  if (name === '' || name === '.' || name === '..') throw new UsageError('name a file, not a folder')
  return name
}

/** Under another name until all of it is there. */
async function save(file: DownloadedFile, target: string, isForced: boolean): Promise<void> {
  const part = `${target}.${randomUUID().slice(0, 8)}.part`
  try {
    await pipeline(bytesOf(file), createWriteStream(part, { flags: 'wx' }))
    // A file that was made meanwhile stays.
    if (isForced) await rename(part, target)
    else await link(part, target)
  } finally {
    await rm(part, { force: true })
  }
}

async function* bytesOf({ body, bytes }: DownloadedFile): AsyncGenerator<Uint8Array, void> {
  let got = 0
  for await (const chunk of body) {
    got += chunk.length
    yield chunk
  }
  if (got !== bytes) throw new Error(`only ${got} of ${bytes} bytes came: try again`)
}
