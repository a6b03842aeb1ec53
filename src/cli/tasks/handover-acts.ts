import { once } from 'node:events'
import { open, rm } from 'node:fs/promises'
import path from 'node:path'
import type { Deliverable, DrawbridgeClient } from '../../api/index.ts'
import { DrawbridgeError } from '../../codex/index.ts'
import { EXIT, type Surroundings, UsageError } from '../process/index.ts'
import { ago, type Cell, printJson, printTable, sizeText, tell, visibleLine } from '../screen/index.ts'
import { type ServiceFlags, serviceClient } from '../service/index.ts'
import { downloadName } from './download-name.ts'
import { findTaskId, shortId } from './find-id.ts'

export interface DeliverablesFlags extends ServiceFlags {
  readonly get?: string
  readonly output?: string
}

export interface AcceptFlags extends ServiceFlags {
  readonly message?: string
}

export interface SendBackFlags extends ServiceFlags {
  readonly message: string
}

interface Answering<Flags> {
  readonly number: string
  readonly flags: Flags
  readonly surroundings: Surroundings
}

export async function deliverables(
  given: string,
  flags: DeliverablesFlags,
  surroundings: Surroundings,
): Promise<number> {
  if (flags.output !== undefined && flags.get === undefined)
    throw new UsageError('-o goes with --get: say which one, as in --get 1 -o report.pdf')
  const client = await serviceClient(flags, surroundings)
  const id = await findTaskId(client, given)
  if (flags.get !== undefined) return get(client, id, { number: flags.get, flags, surroundings })
  const items = await client.deliverables.list(id)
  if (flags.json) printJson(surroundings, items)
  else if (items.length === 0) tell(surroundings, 'It has handed over nothing.')
  else {
    printTable(surroundings, table(items, Date.now()))
    const open = items.find(({ status }) => status === 'pending')
    if (open) tell(surroundings, `Answer with: drawbridge task accept ${shortId(id)} ${open.number}`)
  }
  return EXIT.done
}

export async function accept(given: string, answering: Answering<AcceptFlags>): Promise<number> {
  const { flags, surroundings } = answering
  const client = await serviceClient(flags, surroundings)
  const id = await findTaskId(client, given)
  const accepted = await client.deliverables.accept(id, numberOf(answering.number), flags.message)
  if (flags.json) printJson(surroundings, accepted)
  else tell(surroundings, `Accepted: ${visibleLine(accepted.title)}.`)
  return EXIT.done
}

export async function sendBack(given: string, answering: Answering<SendBackFlags>): Promise<number> {
  const { flags, surroundings } = answering
  const client = await serviceClient(flags, surroundings)
  const id = await findTaskId(client, given)
  const sent = await client.deliverables.sendBack(id, numberOf(answering.number), flags.message)
  if (flags.json) printJson(surroundings, sent)
  else tell(surroundings, `Sent back: ${visibleLine(sent.title)}. The model gets your words.`)
  return EXIT.done
}

export async function seen(given: string, flags: ServiceFlags, surroundings: Surroundings): Promise<number> {
  const client = await serviceClient(flags, surroundings)
  const id = await findTaskId(client, given)
  await client.tasks.seen(id)
  if (flags.json) printJson(surroundings, await client.tasks.get(id))
  else tell(surroundings, `${shortId(id)} is marked as seen.`)
  return EXIT.done
}

async function get(
  client: DrawbridgeClient,
  id: string,
  { number, flags, surroundings }: Answering<DeliverablesFlags>,
): Promise<number> {
  const wanted = numberOf(number)
  const deliverable = (await client.deliverables.list(id)).find((each) => each.number === wanted)
  if (!deliverable)
    throw new DrawbridgeError(`task ${shortId(id)} has no deliverable ${wanted}`, {
      code: 'deliverable-not-found',
    })
  const bytes = client.deliverables.download(id, wanted, { signal: surroundings.interrupted })
  if (flags.output === '-') {
    for await (const chunk of bytes)
      if (!surroundings.stdout.write(chunk)) await once(surroundings.stdout, 'drain')
    return EXIT.done
  }
  const file = path.resolve(flags.output ?? downloadName(deliverable))
  await write(file, bytes)
  if (flags.json) printJson(surroundings, { ...deliverable, file })
  else surroundings.stdout.write(`${visibleLine(file)}\n`)
  return EXIT.done
}

/** Nothing that is there is written over, and no half of a file is left. */
async function write(file: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const handle = await open(file, 'wx').catch((cause: NodeJS.ErrnoException) => {
    const why =
      cause.code === 'EEXIST' ? 'is there already: say where to with -o' : `cannot be made: ${cause.code}`
    throw new DrawbridgeError(`${file} ${why}`, { code: 'output-file', cause })
  })
  try {
    for await (const chunk of bytes) await handle.writeFile(chunk)
    await handle.sync()
  } catch (error) {
    await rm(file, { force: true })
    throw error
  } finally {
    await handle.close()
  }
}

function table(items: readonly Deliverable[], now: number): Cell[][] {
  const head = ['#', 'STATUS', 'SIZE', 'WHEN', 'FILE', 'TITLE'].map((text): Cell => ({ text, colour: 'dim' }))
  return [
    head,
    ...items.map(({ number, status, bytes, createdAt, path: at, title, words }): Cell[] => [
      { text: String(number) },
      { text: status, colour: COLOURS[status] },
      { text: sizeText(bytes) },
      { text: ago(createdAt, now) },
      { text: visibleLine(at) },
      { text: visibleLine(words === null ? title : `${title} – ${words}`) },
    ]),
  ]
}

const COLOURS = { pending: 'yellow', accepted: 'green', 'sent-back': 'dim' } as const

function numberOf(text: string): number {
  const number = Number(text)
  if (Number.isInteger(number) && number > 0) return number
  throw new UsageError(`${JSON.stringify(text)} is no number of a deliverable: they count from 1`)
}
