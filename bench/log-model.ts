// The model of bench:log, in a process of its own.
import { lastUserText, message, startScriptedModel } from '../src/testing/index.ts'
import { DELTA, DELTAS } from './log-turns.ts'

const model = await startScriptedModel((request) =>
  lastUserText(request).includes('count') ? message(DELTA, { count: DELTAS }) : message('ready'),
)
process.send!(model.url)
process.once('disconnect', () => void model.close())
