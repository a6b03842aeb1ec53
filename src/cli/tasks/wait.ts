import type { Command } from 'commander'
import type { DrawbridgeClient } from '../../api/index.ts'
import type { Question } from '../../codex/index.ts'
import { addExamples } from '../help/index.ts'
import { seconds } from '../options/index.ts'
import type { Surroundings } from '../process/index.ts'
import { howToAnswer } from '../prompts/index.ts'
import { inLocalTime, onScreen, printJson, printText } from '../screen/index.ts'
import { acting, addServiceOptions, reconnects, type ServiceFlags, serviceClient } from '../service/index.ts'
import { findTaskId, shortId } from './find-id.ts'
import { lastAnswer } from './last-answer.ts'
import { exitCodeOfTask, TASK_EXIT_CODES_HELP } from './task-exit.ts'

interface WaitFlags extends ServiceFlags {
  readonly timeout?: string
  readonly through?: boolean
}

export function addTaskWait(task: Command, surroundings: Surroundings): void {
  const command = task
    .command('wait')
    .summary('wait until a task has ended, or needs an answer')
    .description(
      'Waits until a task has ended, or waits for an answer. What the turn that is done answered goes to stdout.',
    )
    .argument('<task>', 'its id, or enough of the beginning or end')
    .option('--timeout <seconds>', 'no longer than this')
    .option('--through', 'go on waiting while it waits for an answer')
  addExamples(
    command,
    [
      ['drawbridge task wait 5f3a91c2', 'ids as `drawbridge task list` shows them'],
      'drawbridge task wait 5f3a91c2 --through --timeout 600',
      'drawbridge task wait 5f3a91c2 > answer.md',
    ],
    TASK_EXIT_CODES_HELP,
  )
  addServiceOptions(command).action(
    acting(surroundings, (given: string, flags: WaitFlags) => wait(given, flags, surroundings)),
  )
}

async function wait(given: string, flags: WaitFlags, surroundings: Surroundings): Promise<number> {
  const timeoutMs = flags.timeout === undefined ? undefined : seconds(flags.timeout, 'timeout') * 1000
  const client = await serviceClient(flags, surroundings)
  const taskId = await findTaskId(client, given)
  const { interrupted: signal } = surroundings
  const options = {
    timeoutMs,
    through: flags.through === true,
    signal,
    onReconnect: reconnects(surroundings),
  }
  const task = await client.tasks.wait(taskId, options)
  if (flags.json) printJson(surroundings, task)
  else {
    const answer = lastAnswer(task)
    if (answer?.of === 'done') printText(surroundings, answer.text.trimEnd())
    surroundings.stderr.write(onScreen(`${task.status}: ${inLocalTime(task.reason, Date.now())}\n`))
    if (task.status === 'waiting' && task.waitingFor !== 'worker')
      await tellHow(client, task.id, surroundings)
  }
  return exitCodeOfTask(task)
}

async function tellHow(
  client: DrawbridgeClient,
  taskId: string,
  { stderr }: Pick<Surroundings, 'stderr'>,
): Promise<void> {
  const { approvals } = await client.tasks.show(taskId, { events: 0 })
  for (const { id, question } of approvals)
    stderr.write(`→ ${howToAnswer(shortId(id), question as Question)}\n`)
}
