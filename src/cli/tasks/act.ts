// Commands that give a task something: more to do, another branch, another title.
import type { Command } from 'commander'
import { addExamples } from '../help/index.ts'
import { collect } from '../options/index.ts'
import type { Surroundings } from '../process/index.ts'
import { acting, addServiceOptions, serviceClient } from '../service/index.ts'
import { ACT_EXAMPLES } from './act-examples.ts'
import type { ACTS, ActFlags } from './acts.ts'
import { findTaskId } from './find-id.ts'

const WAIT = ['--wait', 'stay until it has ended, and show what happens'] as const
const IMAGE = ['--image <file>', 'show this image to the model; repeatable'] as const
const KEY = ['--key <key>', 'sent once, however often it is given with this key'] as const

export function addTaskActs(task: Command, surroundings: Surroundings): void {
  const add = (name: keyof typeof ACTS, summary: string) => {
    const command = task
      .command(name)
      .summary(summary)
      .description(`${summary[0]!.toUpperCase()}${summary.slice(1)}.`)
    command.argument('<task>', 'its id, or enough of the beginning or end')
    addExamples(command, ACT_EXAMPLES[name])
    return addServiceOptions(command).action(
      acting(surroundings, async (given: string, ...rest: unknown[]) => {
        const [text, flags] = typeof rest[0] === 'object' ? [undefined, rest[0]] : rest
        const options = flags as ActFlags
        const client = await serviceClient(options, surroundings)
        const taskId = await findTaskId(client, given)
        const { ACTS: acts } = await import('./acts.ts')
        return acts[name]({ client, taskId, text: text as string | undefined, flags: options, surroundings })
      }),
    )
  }
  add('send', 'give a task its next turn: now if it is free, else after what it does')
    .argument('[text]', 'what Codex should do; - reads it from stdin')
    .option(...IMAGE, collect, [])
    .option(...KEY)
    .option(...WAIT)
  add('steer', 'say something into the turn that runs')
    .argument('[text]', 'what Codex should know; - reads it from stdin')
    .option(...IMAGE, collect, [])
    .option(...KEY)
  add('fork', 'make a new task with the history of this one')
    .argument('[text]', 'what Codex should do there')
    .option('--title <title>', 'what it is called in lists')
    .option('--last-turn <turnId>', 'with the history up to this turn only')
    .option(...WAIT)
  add('resume', 'go on after it was interrupted, lost, limited or failed')
    .argument('[text]', 'what Codex should do (default: continue)')
    .option(...WAIT)
  add('rename', 'give a task another title').argument('<title>', 'what it is called in lists from now on')
}
