// What the scripted model of demo tasks does with whatever it is asked: looks around, asks for leave, answers.
import {
  lastUserText,
  type ModelRequest,
  message,
  type Reply,
  shell,
  toolOutputs,
} from '../../testing/index.ts'

export function demoScript(request: ModelRequest): Reply {
  const outputs = toolOutputs(request)
  if (outputs.length === 0) return shell('ls -a | head -n 20')
  if (outputs.length === 1)
    return shell('date', { escalate: 'to show you a question: the scripted model wants to know the time' })
  return message(answer(request, outputs.at(-1)!.text), { chunkSize: 6, delayMs: 15 })
}

function answer(request: ModelRequest, output: string): string {
  const asked = lastUserText(request).split('\n', 1)[0]
  const wasAllowed = !/reject|denied|declin/i.test(output)
  return [
    'I am a scripted model: my lines were written in advance, the Codex around me is the real one.',
    `You asked: ${asked}`,
    'I listed this folder in the sandbox, and asked to run a command outside of it: you ' +
      `${wasAllowed ? 'let me' : 'said no'}.`,
    'With a login of your own (`drawbridge login`) a real model does what you ask.',
  ].join('\n')
}
