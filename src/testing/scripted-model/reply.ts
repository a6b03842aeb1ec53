// One reply of the model, from plain data to the steps that put it on the wire.
import { randomUUID } from 'node:crypto'
import type {
  CutStreamPart,
  FailedPart,
  HangPart,
  HeadersPart,
  HttpErrorPart,
  IncompletePart,
  SlowPart,
  SseEvent,
  SsePart,
} from './faults.ts'
import type { CustomToolCallPart, FunctionCallPart, MessagePart, ReasoningPart, UsagePart } from './output.ts'
import { type OutputItem, outputEvents } from './output-events.ts'

export type ReplyPart =
  | MessagePart
  | ReasoningPart
  | FunctionCallPart
  | CustomToolCallPart
  | UsagePart
  | HttpErrorPart
  | HeadersPart
  | CutStreamPart
  | SlowPart
  | SsePart
  | FailedPart
  | IncompletePart
  | HangPart

/** The answer to one model call: one part, or several in order. */
export type Reply = ReplyPart | readonly ReplyPart[]

/** What the server does next. `cut` and `hang` are always last. */
export type WireStep =
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'send'; readonly event: SseEvent }
  | { readonly do: 'cut' }
  | { readonly do: 'hang' }

export function partsOf(reply: Reply): readonly ReplyPart[] {
  return Array.isArray(reply) ? reply : [reply as ReplyPart]
}

/** The stream of one reply. A `cutStream` that counts events stops it wherever the count is reached. */
export function* wireSteps(parts: readonly ReplyPart[]): Generator<WireStep> {
  const cutAfter = parts.find((part) => part.part === 'cutStream')?.afterEvents ?? Number.POSITIVE_INFINITY
  let sent = 0
  for (const step of uncutSteps(parts)) {
    if (sent >= cutAfter) return yield { do: 'cut' }
    yield step
    if (step.do === 'send') sent++
    if (step.do === 'cut' || step.do === 'hang') return
  }
  if (cutAfter !== Number.POSITIVE_INFINITY) yield { do: 'cut' }
}

function* uncutSteps(parts: readonly ReplyPart[]): Generator<WireStep> {
  const responseId = `resp_${randomUUID()}`
  const isFramed = !parts.some((part) => part.part === 'sse')
  const output: OutputItem[] = []
  let perEventMs = 0
  let isOpen = false
  for (const part of parts) {
    if (part.part === 'slow' && part.every === 'event') perEventMs = part.ms
    if (!isOpen && isFramed && opensStream(part)) {
      isOpen = true
      yield* paced({ type: 'response.created', response: { id: responseId } }, perEventMs)
    }
    if (part.part === 'slow' && part.every === 'reply') yield { do: 'wait', ms: part.ms }
    if (part.part === 'hang') yield { do: 'hang' }
    if (part.part === 'cutStream' && part.afterEvents === undefined) yield { do: 'cut' }
    for (const { event, delayMs } of partEvents(part, output)) yield* paced(event, delayMs + perEventMs)
  }
  if (!isFramed) return
  if (!isOpen) yield* paced({ type: 'response.created', response: { id: responseId } }, perEventMs)
  yield* paced(lastEvent({ responseId, parts, output }), perEventMs)
}

// A wait, a hang or a cut at the head of a reply comes before its first byte.
function opensStream(part: ReplyPart): boolean {
  return !['slow', 'hang', 'cutStream', 'headers', 'usage'].includes(part.part)
}

function* paced(event: SseEvent, delayMs: number): Generator<WireStep> {
  if (delayMs > 0) yield { do: 'wait', ms: delayMs }
  yield { do: 'send', event }
}

function* partEvents(part: ReplyPart, output: OutputItem[]): Generator<{ event: SseEvent; delayMs: number }> {
  if (part.part === 'sse') for (const event of part.events) yield { event, delayMs: 0 }
  if (
    part.part === 'message' ||
    part.part === 'reasoning' ||
    part.part === 'functionCall' ||
    part.part === 'customToolCall'
  ) {
    yield* outputEvents(part, output)
  }
}

function lastEvent({
  responseId: id,
  parts,
  output,
}: {
  responseId: string
  parts: readonly ReplyPart[]
  output: readonly OutputItem[]
}): SseEvent {
  const failed = parts.find((part) => part.part === 'failed')
  if (failed) {
    const error = { code: failed.code, message: failed.message }
    return { type: 'response.failed', response: { id, status: 'failed', error } }
  }
  const incomplete = parts.find((part) => part.part === 'incomplete')
  if (incomplete) {
    const details = { reason: incomplete.reason }
    return {
      type: 'response.incomplete',
      response: { id, status: 'incomplete', incomplete_details: details },
    }
  }
  return { type: 'response.completed', response: { id, status: 'completed', output, usage: usageOf(parts) } }
}

function usageOf(parts: readonly ReplyPart[]): object {
  const stated = parts.find((part) => part.part === 'usage')
  const { input, cached, output, reasoning } = stated ?? { input: 10, cached: 0, output: 5, reasoning: 0 }
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  }
}
