// The Responses API events that stream one output item.
import { randomUUID } from 'node:crypto'
import type { SseEvent } from './faults.ts'
import type { CustomToolCallPart, FunctionCallPart, MessagePart, ReasoningPart } from './output.ts'

export type OutputItem = Readonly<Record<string, unknown>>
type OutputPart = MessagePart | ReasoningPart | FunctionCallPart | CustomToolCallPart
type Paced = { event: SseEvent; delayMs: number }

/** Streams the item and, when it is done, adds it to the response's output. */
export function* outputEvents(part: OutputPart, output: OutputItem[]): Generator<Paced> {
  const output_index = output.length
  const { started, deltas, done } = streamed(part, output_index)
  yield { event: { type: 'response.output_item.added', output_index, item: started }, delayMs: 0 }
  for (const event of deltas) yield { event, delayMs: 'delayMs' in part ? part.delayMs : 0 }
  yield { event: { type: 'response.output_item.done', output_index, item: done }, delayMs: 0 }
  output.push(done)
}

function streamed(
  part: OutputPart,
  output_index: number,
): { started: OutputItem; deltas: readonly SseEvent[]; done: OutputItem } {
  switch (part.part) {
    case 'message':
      return streamedMessage(part, output_index)
    case 'reasoning':
      return streamedReasoning(part, output_index)
    case 'functionCall': {
      const args = typeof part.arguments === 'string' ? part.arguments : JSON.stringify(part.arguments)
      const call = { type: 'function_call', ...identityOf(part), name: part.name }
      return { started: { ...call, arguments: '' }, deltas: [], done: { ...call, arguments: args } }
    }
    case 'customToolCall': {
      const call = { type: 'custom_tool_call', ...identityOf(part), name: part.name }
      return { started: { ...call, input: '' }, deltas: [], done: { ...call, input: part.input } }
    }
  }
}

function identityOf({ callId, namespace }: { callId?: string; namespace?: string }): object {
  const id = `item_${randomUUID()}`
  return { id, call_id: callId ?? `call_${randomUUID()}`, ...(namespace !== undefined && { namespace }) }
}

function streamedMessage(part: MessagePart, output_index: number) {
  const item = { type: 'message', id: `msg_${randomUUID()}`, role: 'assistant' }
  const deltas = part.deltas.map((delta) => ({
    type: 'response.output_text.delta',
    item_id: item.id,
    output_index,
    content_index: 0,
    delta,
  }))
  const content = [{ type: 'output_text', text: part.deltas.join(''), annotations: [] }]
  return { started: { ...item, content: [] }, deltas, done: { ...item, content } }
}

function streamedReasoning(part: ReasoningPart, output_index: number) {
  const item = { type: 'reasoning', id: `rs_${randomUUID()}` }
  const place = { item_id: item.id, output_index, summary_index: 0 }
  const opening = {
    type: 'response.reasoning_summary_part.added',
    ...place,
    part: { type: 'summary_text', text: '' },
  }
  const deltas = part.deltas.map((delta) => ({
    type: 'response.reasoning_summary_text.delta',
    ...place,
    delta,
  }))
  const summary = [{ type: 'summary_text', text: part.deltas.join('') }]
  return { started: { ...item, summary: [] }, deltas: [opening, ...deltas], done: { ...item, summary } }
}
