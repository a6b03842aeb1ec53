import type { Command } from 'commander'
import { type Adding, addExamples } from '../help/index.ts'
import type { Surroundings } from '../process/index.ts'
import { addTaskActs } from './act.ts'
import { addTaskActsOnEach } from './act-on-each.ts'
import { addTaskAttach } from './attach.ts'
import { addTaskFiles } from './files.ts'
import { addTaskHandover } from './handover.ts'
import { addTaskLogs } from './logs.ts'
import { addTaskList, addTaskShow } from './read.ts'
import { addTaskSnapshots } from './snapshot.ts'
import { addTaskStart } from './start.ts'
import { addTaskWait } from './wait.ts'
import { addTaskWork } from './work.ts'

export function addTaskCommand(program: Command, surroundings: Surroundings, { isListed }: Adding): void {
  const task = program
    .command('task')
    .summary('start, watch and steer tasks in the service')
    .description(
      'Tasks: one thread of Codex and its turns, kept by the service. Started here, watched from anywhere.',
    )
  if (isListed) return
  addTaskStart(task, surroundings)
  addTaskList(task, surroundings)
  addTaskShow(task, surroundings)
  addTaskLogs(task, surroundings)
  addTaskWait(task, surroundings)
  addTaskActs(task, surroundings)
  addTaskActsOnEach(task, surroundings)
  addTaskWork(task, surroundings)
  addTaskFiles(task, surroundings)
  addTaskHandover(task, surroundings)
  addTaskSnapshots(task, surroundings)
  addTaskAttach(task, surroundings)
  addExamples(task, [
    'drawbridge task start "explain what this folder does"',
    'drawbridge task list --status waiting,working',
    ['drawbridge task logs -f 5f3a91c2', 'ids as lists show them'],
  ])
}
