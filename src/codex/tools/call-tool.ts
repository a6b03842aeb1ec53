// One call of a tool: arguments checked, a deadline, and an answer for the model whatever happens.
import { setTimeout as delay } from 'node:timers/promises'
import { redact, redactValue } from '../redaction/index.ts'
import type { Tool, ToolContext, ToolIssue } from './tool.ts'
import { resultOf, type ToolResult, textResult } from './tool-output.ts'

/** What a call was and how it ended, without secrets, for a log. */
export interface ToolCall {
  readonly tool: string
  readonly callId: string
  readonly threadId: string
  readonly turnId: string | null
  readonly subAgentId: string | null
  /** As JSON; a long one is cut. */
  readonly arguments: string
  readonly startedAt: number
  readonly durationMs: number
  readonly outcome: 'ok' | 'bad-arguments' | 'failed' | 'timed-out' | 'cancelled'
  /** What the model was told of a call that did not succeed. */
  readonly error: string | null
}

/** Hears of every call when it has ended. Must not throw. */
export type OnToolCall = (call: ToolCall) => void

export interface CallPlace extends Omit<ToolContext, 'signal'> {
  readonly signal: AbortSignal
  readonly now: () => number
  readonly onCall: OnToolCall
}

const MAX_SHOWN_ARGUMENTS = 2_000
const MAX_ERROR = 4_000

interface Ended {
  readonly outcome: ToolCall['outcome']
  readonly result: ToolResult
}

/** Never rejects. */
export async function callTool(tool: Tool, given: unknown, place: CallPlace): Promise<ToolResult> {
  const { now, onCall, signal: _, ...context } = place
  const startedAt = now()
  const { outcome, result } = await answer(tool, given, place)
  onCall({
    tool: tool.name,
    ...context,
    arguments: shownArguments(given),
    startedAt,
    durationMs: Math.max(0, now() - startedAt),
    outcome,
    error: outcome === 'ok' ? null : firstText(result),
  })
  return result
}

async function answer(tool: Tool, given: unknown, place: CallPlace): Promise<Ended> {
  const checked = await Promise.resolve()
    .then(() => tool.check(given))
    .catch((error: unknown) => ({ issues: [{ message: messageOf(error) }] }))
  if (checked.issues)
    return failed('bad-arguments', `bad arguments: ${checked.issues.map(issueText).join('; ')}`)
  return run(tool, checked.value, place)
}

/** The first to come: what the handler says, the deadline, or that nobody wants the answer any more. */
async function run(tool: Tool, input: unknown, place: CallPlace): Promise<Ended> {
  const { signal: wanted, now: _, onCall: __, ...context } = place
  const over = new AbortController()
  const signal = AbortSignal.any([wanted, over.signal])
  const late = delay(tool.timeoutMs, null, { signal: over.signal }).then(() =>
    failed('timed-out', `${tool.name} did not answer within ${tool.timeoutMs} ms`),
  )
  late.catch(() => {})
  // Not in this tick: a tool that throws at once, and one that runs, end the same way.
  const ran = Promise.resolve()
    .then(() => tool.handler(input, { ...context, signal }))
    .then((output): Ended => ({ outcome: 'ok', result: resultOf(output) }))
    .catch((error: unknown) => failed('failed', messageOf(error)))
  try {
    return await Promise.race([ran, late, cancelled(wanted, over.signal)])
  } finally {
    over.abort(new Error('the call is over'))
  }
}

/** A handler that ignores its signal does not hold the call. */
function cancelled(wanted: AbortSignal, over: AbortSignal): Promise<Ended> {
  return new Promise((resolve) => {
    const end = () => resolve(failed('cancelled', 'the call was cancelled'))
    if (wanted.aborted) return end()
    wanted.addEventListener('abort', end, { once: true, signal: over })
  })
}

function failed(outcome: ToolCall['outcome'], text: string): Ended {
  return { outcome, result: textResult(redact(text).slice(0, MAX_ERROR), { isError: true }) }
}

/** Never the stack: it names files of this machine. */
function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text.trim() === '' ? 'it failed without a message' : text
}

function issueText({ message, path = [] }: ToolIssue): string {
  const place = path.map((part) => String(Object(part).key ?? part)).join('.')
  return place === '' ? message : `${place}: ${message}`
}

function shownArguments(given: unknown): string {
  const text = JSON.stringify(redactValue(given)) ?? 'null'
  if (text.length <= MAX_SHOWN_ARGUMENTS) return text
  return `${text.slice(0, MAX_SHOWN_ARGUMENTS).toWellFormed()}… [${text.length} characters]`
}

function firstText({ content }: ToolResult): string {
  const [first] = content
  return first?.type === 'text' ? first.text : ''
}
