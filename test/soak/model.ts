// The scripted model as a process of its own: it does what each prompt says, tells its URL and ends with its parent.
import {
  cutStream,
  hang,
  httpError,
  lastUserText,
  type ModelRequest,
  message,
  type Reply,
  shell,
  startScriptedModel,
  toolOutputs,
} from '../../src/testing/index.ts'
import { answerDeltas, type Deed, type Prompt, readPrompt } from './prompt.ts'

const deeds: Readonly<Record<Deed, (prompt: Prompt, request: ModelRequest) => Reply>> = {
  say: (prompt) => message(answerDeltas(prompt)),
  stream: (prompt) => message(answerDeltas(prompt), { delayMs: prompt.delayMs ?? 0 }),
  command: (prompt, request) =>
    toolOutputs(request).length === 0 ? shell(`echo ${prompt.id}`) : message(answerDeltas(prompt)),
  sleep: () => shell('sleep 60', { arguments: { yield_time_ms: 30_000 } }),
  hang: (prompt) => [message(answerDeltas(prompt)), hang()],
  'http-error': () => httpError(400),
  cut: () => [message(['half', ' of']), cutStream(3)],
}

const model = await startScriptedModel((request) => {
  model.requests.length = 0 // each holds a thread's whole history: over thousands of turns too much to keep
  const prompt = readPrompt(lastUserText(request))
  return deeds[prompt.does](prompt, request)
})
process.send!(model.url)
process.once('disconnect', () => void model.close())
