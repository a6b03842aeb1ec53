// What is given to a task: the next turn, a word into the running one, a fork, another title.
import type { DrawbridgeClient, Message, Task } from '../../api/index.ts'
import { DrawbridgeError } from '../../codex/index.ts'
import { promptText } from '../options/index.ts'
import { asTyped, EXIT, type Surroundings } from '../process/index.ts'
import { printJson } from '../screen/index.ts'
import type { ServiceFlags } from '../service/index.ts'
import { shortId } from './find-id.ts'
import { followHint } from './follow-hint.ts'
import { messageInput } from './start-request.ts'
import { stateLine } from './state-line.ts'
import { hasEnded } from './task-exit.ts'
import { watchTask } from './watch-task.ts'

export interface ActFlags extends ServiceFlags {
  readonly image?: readonly string[]
  readonly key?: string
  readonly wait?: boolean
  readonly title?: string
  readonly lastTurn?: string
}

interface Act {
  readonly client: DrawbridgeClient
  readonly taskId: string
  readonly text: string | undefined
  readonly flags: ActFlags
  readonly surroundings: Surroundings
}

/** By the command's name. */
export const ACTS = { send, steer, fork, resume, rename } as const

async function send(act: Act): Promise<number> {
  const { client, taskId, flags, surroundings } = act
  const text = await promptText(act.text, surroundings, 'drawbridge task send <task> "<text>"')
  const before = await client.tasks.get(taskId)
  const input = messageInput(text, flags.image ?? [], before)
  const askedAt = Date.now()
  const message = await client.tasks.send(taskId, { input }, { key: flags.key })
  if (flags.wait) return watch(act, before.lastSeq)
  if (flags.json) printJson(surroundings, message)
  else {
    const told = message.createdAt < askedAt ? SENT_BEFORE : await sentText(client, message, before)
    surroundings.stderr.write(`${told} ${followHint(taskId)}\n`)
  }
  return EXIT.done
}

const SENT_BEFORE = 'Sent before, with this key: not once more.'
/** A free task begins at once, unless there is no place for it: the wait for that is as long as it takes to see. */
const BEGIN_MS = 1_500

async function sentText(client: DrawbridgeClient, { status }: Message, before: Task): Promise<string> {
  if (status !== 'queued') return 'Sent.'
  if (!isFree(before)) return 'Queued: it is the next turn, after what runs or waits.'
  const signal = AbortSignal.timeout(BEGIN_MS)
  for await (const { event } of client.tasks.follow(before.id, { after: before.lastSeq, signal })) {
    const { status: now } = Object(event.params) as { status?: string }
    if (event.method === 'drawbridge/task' && now !== 'queued') return 'Sent.'
  }
  const { queuePosition } = await client.tasks.get(before.id)
  return queuePosition === null ? 'Sent.' : `Queued: number ${queuePosition} of those that wait for a place.`
}

function isFree(task: Task): boolean {
  return hasEnded(task) || (task.status === 'waiting' && task.turnId === null)
}

async function steer({ client, taskId, text: given, flags, surroundings }: Act): Promise<number> {
  const text = await promptText(given, surroundings, 'drawbridge task steer <task> "<text>"')
  const images = flags.image ?? []
  const host = images.length === 0 ? null : (await client.tasks.get(taskId)).host
  const input = messageInput(text, images, { host })
  const message = await client.tasks.steer(taskId, { input }, { key: flags.key })
  if (flags.json) printJson(surroundings, message)
  else surroundings.stderr.write('Steered.\n')
  return EXIT.done
}

async function fork(act: Act): Promise<number> {
  const { client, taskId, text, flags, surroundings } = act
  const task = await client.tasks.fork(taskId, {
    ...(text !== undefined && { prompt: text }),
    ...(flags.title !== undefined && { title: flags.title }),
    ...(flags.lastTurn !== undefined && { lastTurnId: flags.lastTurn }),
  })
  if (flags.wait) return watch({ ...act, taskId: task.id }, 0)
  if (flags.json) printJson(surroundings, task)
  else {
    surroundings.stdout.write(`${task.id}\n`)
    surroundings.stderr.write(`${forkedText(task)}\n`)
  }
  return EXIT.done
}

/** One that was given nothing to do waits for it. */
function forkedText({ id, status }: Task): string {
  if (status !== 'idle') return `Forked. ${followHint(id)}`
  return asTyped(`Forked. Give it something to do with: drawbridge task send ${shortId(id)} "…"`)
}

async function resume(act: Act): Promise<number> {
  const { client, taskId, text, flags, surroundings } = act
  const { lastSeq } = await client.tasks.get(taskId)
  const task = await client.tasks
    .resume(taskId, text === undefined ? {} : { prompt: text })
    .catch((error: unknown) => {
      throw namingSend(error, taskId)
    })
  if (flags.wait) return watch(act, lastSeq)
  if (flags.json) printJson(surroundings, task)
  else surroundings.stderr.write(`${stateLine(task, Date.now())}\n${followHint(taskId)}\n`)
  return EXIT.done
}

/** A task that is done has nothing to resume: what people want then is another turn. */
function namingSend(error: unknown, taskId: string): unknown {
  if (!(error instanceof DrawbridgeError) || error.code !== 'not-resumable') return error
  const send = `drawbridge task send ${shortId(taskId)} "…"`
  return new DrawbridgeError(`${error.message}: ${send}`, { code: error.code, cause: error })
}

async function rename({ client, taskId, text, flags, surroundings }: Act): Promise<number> {
  const task = await client.tasks.change(taskId, { title: text! })
  if (flags.json) printJson(surroundings, task)
  else surroundings.stderr.write(`${shortId(taskId)} is renamed.\n`)
  return EXIT.done
}

async function watch({ client, taskId, flags, surroundings }: Act, after: number): Promise<number> {
  const task = await client.tasks.get(taskId)
  return watchTask({ client, task, after, json: flags.json === true, surroundings })
}
