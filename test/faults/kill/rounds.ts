// Rounds of killing: the service, codex, or both, at a random moment of several tasks' lives.
import { setTimeout as delay } from 'node:timers/promises'
import {
  bringToEnd,
  check,
  complain,
  type Findings,
  followTask,
  NOTHING,
  openStage,
  persistently,
  type Stage,
  startTask,
} from './crash-stage.ts'
import { leftoversOf, orphansOf } from './leftovers.ts'

export type Victim = 'service' | 'app-server' | 'both'

export interface RoundsOptions {
  readonly victim: Victim
  readonly rounds: number
  /** Tasks at work in each round. */
  readonly tasks: number
  readonly random: () => number
  readonly onRound?: (round: number, findings: Findings) => void
}

/** A task takes about this long: the moment of the kill is anywhere in it. */
const LIFE_MS = 1_600

export async function killRounds({
  victim,
  rounds,
  tasks,
  random,
  onRound,
}: RoundsOptions): Promise<Findings> {
  const findings = { ...NOTHING }
  const stage = await openStage()
  try {
    for (let round = 0; round < rounds; round++) {
      await oneRound(stage, { victim, round, tasks, random, findings })
      findings.rounds++
      onRound?.(round, findings)
    }
  } finally {
    const { dataDir } = stage
    const before = leftoversOf(dataDir)
    await stage.close()
    for (const left of leftoversOf(dataDir, before)) complain(findings, 'leftovers', left)
  }
  return findings
}

interface Round extends Omit<RoundsOptions, 'rounds' | 'onRound'> {
  readonly round: number
  readonly findings: Findings
}

async function oneRound(stage: Stage, { victim, round, tasks, random, findings }: Round): Promise<void> {
  const names = Array.from({ length: tasks }, (_, index) => `t${round}${String(index).padStart(2, '0')}x`)
  const moment = random() * LIFE_MS
  const work = names.map(async (name) => {
    const taskId = await startTask(stage, name)
    const followed = followTask(stage, taskId)
    return { name, taskId, followed, task: await bringToEnd(stage, taskId) }
  })
  const killing = delay(moment).then(() => kill(stage, victim, findings))
  const ended = await Promise.all(work)
  await killing
  for (const { name, taskId, followed, task } of ended) {
    const wasLost = victim !== 'service' && ['lost', 'failed'].includes(task.status)
    if (wasLost) {
      const { client } = stage.service
      const { items } = await persistently(() => client.approvals({ taskId, status: 'pending' }))
      if (items.length > 0) complain(findings, 'lostQuestions', { name, stillOpen: items })
      await persistently(() => client.tasks.resume(taskId))
      await bringToEnd(stage, taskId)
    }
    await check(stage, { taskId, name, isWhole: !wasLost, followed: await followed() }, findings)
  }
  for (const orphan of await orphansOf(stage.dataDir)) complain(findings, 'leftovers', { round, orphan })
}

async function kill({ service }: Stage, victim: Victim, findings: Findings): Promise<void> {
  if (victim !== 'service') {
    const hosts = await service.client.hosts()
    const pids = hosts.flatMap(({ appServers }) => appServers.flatMap(({ pid }) => pid ?? []))
    for (const pid of pids) if (hasKilled(pid)) findings.killed++
  }
  if (victim === 'app-server') return
  await service.kill()
  findings.killed++
  await service.start()
}

/** False when it was gone already. */
function hasKilled(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL')
  } catch {
    return false
  }
}
