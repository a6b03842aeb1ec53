import type { DrawbridgeClient, Task } from '../../api/index.ts'
import { cutToColumns, visibleLine } from '../screen/index.ts'
import { shortId } from './find-id.ts'

const MAX_TITLE_COLUMNS = 60

/** A task as lists and people call it: `task 5f3a91c2 "Fix the tests"`. */
function taskName({ id, title }: Pick<Task, 'id' | 'title'>): string {
  return `task ${shortId(id)} "${cutToColumns(visibleLine(title), MAX_TITLE_COLUMNS)}"`
}

/** The names of tasks by their ids, each asked for once. One that cannot be had is only its id. */
export function taskNames({ tasks }: DrawbridgeClient): (taskId: string) => Promise<string> {
  const known = new Map<string, Promise<string>>()
  const ask = (taskId: string) =>
    tasks
      .get(taskId)
      .then(taskName)
      .catch(() => `task ${shortId(taskId)}`)
  return (taskId) => {
    const name = known.get(taskId) ?? ask(taskId)
    known.set(taskId, name)
    return name
  }
}
