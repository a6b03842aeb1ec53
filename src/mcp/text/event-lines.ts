// What happened in a task, one short line for each event that matters. Deltas and started items make none: the completed
// item tells it all.
import { projectItems, type protocol } from '../../codex/index.ts'
import type { OwnEvents, TaskEvent } from '../../tasks/index.ts'
import { commandText } from '../../util/command-text.ts'
import { cutMiddle, cutText } from '../../util/cut-text.ts'

const LINE_CHARACTERS = 400
const OUTPUT_CHARACTERS = 300

type Item = protocol.v2.ThreadItem
type OwnEvent = { [M in keyof OwnEvents]: { method: M; params: OwnEvents[M] } }[keyof OwnEvents]

/** Empty for events that say nothing to a reader. An event of an unknown shape is named, never thrown on. */
export function eventLines(event: TaskEvent): string[] {
  try {
    return linesOf(event)
  } catch {
    return [event.method]
  }
}

function linesOf(event: TaskEvent): string[] {
  if (event.method.startsWith('drawbridge/')) return ownLines(JSON.parse(event.frame) as OwnEvent)
  if (event.method === 'item/completed') return itemLines(paramsOf<{ item: Item }>(event).item)
  if (event.method === 'error') return [`error: ${short(errorOf(event))}`]
  if (event.method === 'warning') return [`warning: ${short(paramsOf<{ message?: string }>(event).message)}`]
  return []
}

function paramsOf<T>({ frame }: TaskEvent): T {
  return Object((JSON.parse(frame) as { params?: unknown }).params) as T
}

function errorOf(event: TaskEvent): string | undefined {
  return paramsOf<{ error?: { message?: string } }>(event).error?.message
}

function ownLines({ method, params }: OwnEvent): string[] {
  switch (method) {
    case 'drawbridge/task':
      return [`status ${params.status}: ${short(params.reason)}`]
    case 'drawbridge/message':
      if (params.status === 'queued') return []
      return [`message (${params.mode}) ${params.status}: ${short(params.why ?? params.text)}`]
    case 'drawbridge/approval':
      if (params.status === 'pending') return [`question ${params.approvalId}: ${short(params.title)}`]
      if (params.status === 'withdrawn') return [`question withdrawn: ${short(params.title)}`]
      return [
        `question answered by ${params.actor ?? params.by}: ${short(params.title)} → ${short(JSON.stringify(params.answer))}`,
      ]
    case 'drawbridge/upload':
      return [
        `files ${params.isTakenBack ? 'taken back' : 'uploaded'}: ${short(params.files.map(({ path }) => path).join(', '))}`,
      ]
    case 'drawbridge/account':
      return [`account: ${short(params.why)}`]
    case 'drawbridge/hook':
      if (params.status === 'started') return []
      return [`hook ${params.hook} ${params.status}${params.problem ? `: ${short(params.problem)}` : ''}`]
    case 'drawbridge/incident':
      return [`incident: ${short(params.message)}`]
    case 'drawbridge/oversize':
      return [`${params.method} of ${params.bytes} bytes, too large to show`]
    default:
      return []
  }
}

function itemLines(item: Item): string[] {
  switch (item.type) {
    case 'userMessage':
      return []
    case 'reasoning':
      return []
    case 'agentMessage':
      return [`codex: ${short(item.text)}`]
    case 'commandExecution': {
      const output = (item.exitCode ?? 0) === 0 ? null : item.aggregatedOutput?.trim()
      const ended = item.exitCode === null ? item.status : `exit ${item.exitCode}`
      return [
        `$ ${short(commandText(item.command))} · ${ended}`,
        ...(output ? [`  ${oneLine(cutMiddle(output, OUTPUT_CHARACTERS))}`] : []),
      ]
    }
    case 'fileChange':
      return [`files ${item.status}: ${short(item.changes.map(({ path }) => path).join(', '))}`]
    default:
      return otherItem(item)
  }
}

/** Tools by name and arguments; kinds of items that are new to us by their fields. */
function otherItem(item: Item): string[] {
  return projectItems([item]).flatMap((message) => {
    if (message.role === 'tool') return [`  → ${short(message.content)}`]
    if (message.role !== 'assistant') return []
    const calls = message.tool_calls ?? []
    if (calls.length === 0) return message.content ? [short(message.content)] : []
    return calls.map(({ function: { name, arguments: given } }) => `${name} ${short(given)}`)
  })
}

function short(text: string | undefined | null): string {
  return cutText(oneLine(text ?? ''), LINE_CHARACTERS)
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
