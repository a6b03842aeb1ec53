import { lastUserText, type ModelRequest, message, shell, toolOutputs } from '../../../src/testing/index.ts'

/** A model that runs what the message says, outside the sandbox after `outside: `, and says what came of it. */
export function saysWhatItRan(request: ModelRequest) {
  const text = lastUserText(request) ?? ''
  const callId = `call-${request.body.input.findLastIndex((item) => JSON.stringify(item).includes('input_text'))}`
  const told = toolOutputs(request).filter((output) => output.callId === callId)
  if (told.length > 0) return message(told.map((output) => output.text).join('\n'))
  if (text.startsWith('outside: ')) return shell(text.slice(9), { callId, escalate: 'needs it' })
  return shell(text, { callId, arguments: { yield_time_ms: 20_000 } })
}
