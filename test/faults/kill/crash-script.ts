// What the model says in tasks that are killed: enough of everything to show what is lost or doubled.
import {
  lastUserText,
  type ModelRequest,
  message,
  type Reply,
  shell,
  toolOutputs,
} from '../../../src/testing/index.ts'

/** Begins a message that makes another turn, with one word of the model. */
export const AND_THEN = 'and then'

/** Streams, asks to run a command, runs another, answers. The last word of the prompt is its name. */
export function script(request: ModelRequest): Reply {
  const name = nameIn(request)
  if (lastUserText(request).startsWith(AND_THEN)) return message(`noted ${name}`)
  const done = toolOutputs(request).length
  if (done === 0)
    return [
      message(`thinking of ${name} `, { count: 12, delayMs: 15 }),
      shell(`echo ${name} >> asked.txt`, { escalate: `to note ${name}` }),
    ]
  // What it leaves behind must not outlive its app-server.
  if (done === 1) return shell(`sleep 25 >/dev/null 2>&1 & sleep 0.3; echo ran ${name}`)
  return message(['answer ', name], { delayMs: 20 })
}

/** Of a resumed task too: its first prompt has it. */
export function nameIn(request: ModelRequest): string {
  const text = JSON.stringify(request.body.input)
  return /task (t\d+x)/.exec(text)?.[1] ?? lastUserText(request)
}
