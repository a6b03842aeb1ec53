import { z } from 'zod'
import { askUser } from '../ask-user.ts'
import { Progress } from '../progress.ts'
import { taskReport } from '../report.ts'
import { waitForNews } from '../wait-for-news.ts'
import { Cursor, TaskId } from './fields.ts'
import { defineTool } from './tool.ts'

/** Below the patience of most clients: 60 s, and of all that are known: 300 s. */
const DEFAULT_WAIT_S = 25
const MAX_WAIT_S = 240

export const wait = defineTool({
  name: 'task_wait',
  description:
    'Waits until a task ends, asks something or the time is up. Returns its status, what is new since the cursor, open questions, the answer and the next cursor. Call again until it has ended.',
  input: z.strictObject({
    taskId: TaskId,
    cursor: Cursor.optional().describe('From the last call; 0 at first'),
    maxWaitS: z.number().min(0).max(MAX_WAIT_S).optional().describe(`Default ${DEFAULT_WAIT_S}`),
  }),
  isReadOnly: true,
  async run({ taskId, cursor = 0, maxWaitS = DEFAULT_WAIT_S }, { caller, signal, progress, user }) {
    const told = progress && new Progress(progress)
    const tell = (line: string) => told?.tell(line)
    const endsAt = performance.now() + maxWaitS * 1000
    const leftMs = () => Math.max(0, Math.ceil(endsAt - performance.now()))
    try {
      for (;;) {
        const task = await waitForNews({ taskId, cursor, maxWaitMs: leftMs(), tell }, caller, { signal })
        const isAsked = user && (await askUser(task, { user, caller, timeoutMs: leftMs() }, { signal }))
        if (!isAsked) return await taskReport(task, cursor, caller)
      }
    } finally {
      told?.end()
    }
  },
})
