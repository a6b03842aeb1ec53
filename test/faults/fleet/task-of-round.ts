// One task in a round: started at any door, followed at another, asked and answered at two at once, sent a second message.
import { setTimeout as delay } from 'node:timers/promises'
import { ApiError, type DrawbridgeClient, type Task } from '../../../src/api/index.ts'
import { AND_THEN } from '../kill/crash-script.ts'
import { type Door, followTask, persistently, startTask } from '../kill/crash-stage.ts'
import { isGone } from '../kill/killable-service.ts'
import { anyDoor, type FleetStage } from './fleet-stage.ts'

const DEADLINE_MS = 90_000
const LOOK_MS = 100

export interface EndedTask {
  readonly name: string
  readonly taskId: string
  readonly followed: readonly number[]
  /** How many callers were told that theirs is the answer. */
  readonly wins: number
}

export async function runTask(
  stage: FleetStage,
  { name, random }: { name: string; random: () => number },
): Promise<EndedTask> {
  const door = anyDoor(stage, random)
  const taskId = await startTask({ service: door, cwd: stage.cwd, home: null }, name)
  const follower = { client: door.client }
  const followed = followTask({ service: follower }, taskId)
  const message = { input: `${AND_THEN} ${name}` }
  const sent = delay(random() * 1_500).then(() =>
    persistently(() => door.client.tasks.send(taskId, message, { key: `${name} again` })),
  )
  const [wins] = await Promise.all([answerUntilEnd(taskId, door), sent])
  return { name, taskId, wins, followed: await followed() }
}

async function answerUntilEnd(taskId: string, door: Door): Promise<number> {
  let wins = 0
  for (const deadline = Date.now() + DEADLINE_MS; Date.now() < deadline; await delay(LOOK_MS)) {
    const task = await persistently(() => door.client.tasks.get(taskId))
    if (isOver(task)) return wins
    const { items } = await persistently(() => door.client.approvals({ taskId, status: 'pending' }))
    for (const { id } of items) {
      const answers = [door.client, door.client].map((client) => hasWon(client, id))
      wins += (await Promise.all(answers)).filter(Boolean).length
    }
  }
  return wins
}

/** Failed tasks too: the check tells of them. */
function isOver({ status, turnCount }: Task): boolean {
  return (status === 'completed' && turnCount >= 2) || ['failed', 'interrupted', 'lost'].includes(status)
}

/** Whether this caller was told that its answer counts; the fault may keep that from it. */
async function hasWon(client: DrawbridgeClient, approvalId: string): Promise<boolean> {
  try {
    await client.answer(approvalId, { answer: 'once' })
    return true
  } catch (error) {
    if (isGone(error) || (error instanceof ApiError && error.code === 'approval-settled')) return false
    throw error
  }
}
