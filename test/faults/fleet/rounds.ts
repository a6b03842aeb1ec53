// Rounds of faults in a fleet, in an order that the seed gives.
import { setTimeout as delay } from 'node:timers/promises'
import { check, complain, expectedOfTwo, type Findings, NOTHING, persistently } from '../kill/crash-stage.ts'
import { leftoversOf, orphansOf } from '../kill/leftovers.ts'
import { seeded } from '../kill/seeded.ts'
import { befall, FAULTS, type Fault } from './faults.ts'
import { anyDoor, type FleetStage, note, openFleetStage } from './fleet-stage.ts'
import { type EndedTask, runTask } from './task-of-round.ts'

export interface FleetFindings extends Findings {
  doubledAnswers: number
  /** Callers who were told something that no caller should be. */
  wrongErrors: number
}

export interface FleetRoundsOptions {
  readonly rounds: Readonly<Record<Fault, number>>
  /** Tasks at work in each round. */
  readonly tasks: number
  readonly random: () => number
  readonly onRound?: (round: number, fault: Fault) => void
}

/** A task takes about this long: the moment of the fault is anywhere in it. */
const LIFE_MS = 3_000

export async function fleetRounds({
  rounds,
  tasks,
  random,
  onRound,
}: FleetRoundsOptions): Promise<Record<Fault, FleetFindings>> {
  const findings = Object.fromEntries(
    FAULTS.map((fault) => [fault, { ...NOTHING, doubledAnswers: 0, wrongErrors: 0 }]),
  ) as Record<Fault, FleetFindings>
  const stage = await openFleetStage()
  const order = shuffled(
    FAULTS.flatMap((fault) => Array<Fault>(rounds[fault]).fill(fault)),
    random,
  )
  try {
    for (const [round, fault] of order.entries()) {
      note(stage, `--- round ${round}: ${fault}`)
      await oneRound(stage, { fault, round, tasks, random, findings: findings[fault] })
      findings[fault].rounds++
      onRound?.(round, fault)
    }
  } finally {
    const before = stage.workers.map(({ dataDir }) => ({ dataDir, running: leftoversOf(dataDir) }))
    await stage.close()
    for (const { dataDir, running } of before)
      for (const left of leftoversOf(dataDir, running)) complain(findings.kill, 'leftovers', left)
  }
  return findings
}

interface Round {
  readonly fault: Fault
  readonly round: number
  readonly tasks: number
  readonly random: () => number
  readonly findings: FleetFindings
}

async function oneRound(stage: FleetStage, { fault, round, tasks, random, findings }: Round): Promise<void> {
  const names = Array.from({ length: tasks }, (_, index) => `t${round}${String(index).padStart(2, '0')}x`)
  const work = names.map((name) =>
    runTask(stage, { name, random: branch(random) }).catch((error: unknown) => {
      complain(findings, 'wrongErrors', { name, error: String(error) })
      return null
    }),
  )
  const chance = branch(random)
  const befallen = delay(chance() * LIFE_MS).then(() => befall(fault, stage, chance))
  const [ended] = await Promise.all([Promise.all(work), befallen])
  findings.killed++
  for (const task of ended) if (task) await checkTask(stage, { task, random, findings })
  for (const { dataDir } of stage.workers)
    for (const orphan of await orphansOf(dataDir)) complain(findings, 'leftovers', { round, orphan })
}

async function checkTask(
  stage: FleetStage,
  { task, random, findings }: { task: EndedTask; random: () => number; findings: FleetFindings },
): Promise<void> {
  const { name, wins, taskId } = task
  const service = anyDoor(stage, random)
  await persistently(() =>
    check(
      { service, cwd: stage.cwd, model: stage.model },
      { ...task, isWhole: true, expected: expectedOfTwo(name) },
      findings,
    ),
  )
  const { items } = await persistently(() => service.client.audit({ taskId }))
  if (wins > 1 || items.length > 1) complain(findings, 'doubledAnswers', { name, wins, items })
}

/** Numbers of its own: what happens at the same time draws in any order. */
function branch(random: () => number): () => number {
  return seeded(Math.floor(random() * 1_000_000_000))
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  return items
    .map((item) => ({ item, at: random() }))
    .sort((one, other) => one.at - other.at)
    .map(({ item }) => item)
}
