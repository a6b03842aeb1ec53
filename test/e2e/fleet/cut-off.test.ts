// A worker that is cut from the database in the middle of a turn, or whose connections are frozen; a database that is restarted.
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { databaseTrouble } from '../../../src/store/index.ts'
import { type ModelRequest, message, type Reply, shell, toolOutputs } from '../../../src/testing/index.ts'
import { countsOf, expectFollowed, follow, LEASE } from '../../support/fleet-facts.ts'
import { openFleet } from '../../support/open-fleet.ts'
import { ALICE } from '../../support/open-tasks.ts'
import { freshDatabase } from '../../support/postgres/fresh-database.ts'
import { startPostgres } from '../../support/postgres/server.ts'
import { eventThat, questionOf, taskThat } from '../../support/task-facts.ts'
import { type TcpProxy, tcpProxy } from '../../support/tcp-proxy.ts'

/** Streams for two seconds, asks, says what came of it. */
const script = (request: ModelRequest): Reply =>
  toolOutputs(request).length > 0
    ? message('done')
    : [message('thinking ', { count: 20, delayMs: 100 }), shell('touch made', { escalate: 'please' })]

/** Everything of such a task, once. */
const ALL = {
  ...{ userMessage: 1, agentMessage: 2, commandExecution: 1, 'turn/completed': 1 },
  ...{ 'approval pending': 1, 'approval answered': 1 },
}

async function openStage() {
  const url = await freshDatabase('migrated')
  const network = await tcpProxy(Number(new URL(url).port))
  const fleet = await openFleet(script, { url, fleet: LEASE })
  const a = await fleet.worker('a')
  const b = await fleet.worker('b', { url: network.through(url) })
  const { id } = await a.tasks.start(fleet.request('go', { on: 'b' }), ALICE)
  const followed = follow(a.tasks, id)
  await eventThat(a.tasks, id, ({ method }) => method === 'item/agentMessage/delta')
  return { ...fleet, a, b, id, network, followed }
}

type Stage = Awaited<ReturnType<typeof openStage>>

async function answerAndCheck({ a, id, model, followed }: Stage): Promise<void> {
  const question = await questionOf(a.tasks, id)
  await a.tasks.decide(question.id, { answer: 'once' }, ALICE)
  const task = await taskThat(a.tasks, id, ({ status }) => status === 'completed')
  expect(task).toMatchObject({ result: { text: 'done' }, turnCount: 1, worker: { id: 'b' } })
  expect(await countsOf(a.tasks, id)).toEqual(ALL)
  expect((await a.tasks.audit({ taskId: id })).items).toHaveLength(1)
  expect(model.requests).toHaveLength(2)
  await expectFollowed(a.tasks, id, await followed())
}

const CUTS: readonly [string, (network: TcpProxy) => void, (network: TcpProxy) => void][] = [
  [
    'reset',
    (network) => {
      network.refuse(true)
      network.cut()
    },
    (network) => network.refuse(false),
  ],
  ['frozen, and go on', (network) => network.freeze(), (network) => network.thaw()],
  [
    'frozen, and are reset',
    (network) => network.freeze(),
    (network) => {
      network.cut()
      network.thaw()
    },
  ],
]

it.each(CUTS)('loses nothing when its connections are %s, for less than the lease', async (_, cut, mend) => {
  const stage = await openStage()
  cut(stage.network)
  await delay(1_500)
  mend(stage.network)
  await answerAndCheck(stage)
  expect(stage.b.incidents.filter(({ type }) => type === 'worker-lost')).toEqual([])
})

it.each(CUTS)(
  'joins again and takes its turn back when its connections are %s, for longer than the lease',
  async (_, cut, mend) => {
    const stage = await openStage()
    cut(stage.network)
    const { a, b, id } = stage
    await taskThat(a.tasks, id, ({ waitingFor }) => waitingFor === 'worker')
    mend(stage.network)
    await answerAndCheck(stage)
    const told = b.incidents.filter(({ type }) => type === 'worker-lost').map(({ message }) => message)
    expect(told[0]).toContain('it joins again, and looks for its turns')
    expect((await a.tasks.workers()).map(({ name, state }) => [name, state])).toEqual([
      ['a', 'up'],
      ['b', 'up'],
    ])
  },
)

/** On the clock of the database, by which leases are. */
async function databaseMs({ a }: Stage): Promise<number> {
  const { rows } = await sql<{
    at: number
  }>`select extract(epoch from clock_timestamp()) * 1000 as at`.execute(a.db)
  return Number(rows[0]!.at)
}

/** With the lease of 30 s that workers have: here both are a tenth. */
const LENGTHS: readonly [seconds: number, isLost: boolean][] = [
  [5, false],
  [60, true],
]

it.each(LENGTHS)('a cut of %i s in a lease of 30 s loses and doubles nothing', async (seconds, isLost) => {
  const stage = await openStage()
  const { network, b } = stage
  const cutAt = await databaseMs(stage)
  network.refuse(true)
  network.cut()
  const cutMs = (seconds / 30) * LEASE.leaseMs
  await expect.poll(async () => (await databaseMs(stage)) - cutAt, { interval: 20 }).toBeGreaterThan(cutMs)
  network.refuse(false)
  await answerAndCheck(stage)
  expect(b.incidents.some(({ type }) => type === 'worker-lost')).toBe(isLost)
})

it('a question that codex asks while the database is away is asked when it is back, and is not answered no', async () => {
  const stage = await openStage()
  const { network, model } = stage
  network.refuse(true)
  network.cut()
  // codex has asked by then.
  await delay(2_800)
  network.refuse(false)
  expect(model.requests).toHaveLength(1)
  await answerAndCheck(stage)
})

it('a database that is restarted in the middle of a turn, and while a question is answered, loses and doubles nothing', async () => {
  const postgres = await startPostgres({ isDurable: true })
  onTestFinished(() => postgres.close())
  const fleet = await openFleet(script, { url: postgres.url('postgres'), fleet: LEASE })
  const [a, b] = [await fleet.worker('a'), await fleet.worker('b')]
  const { id } = await a.tasks.start(fleet.request('go', { on: 'b' }), ALICE)
  const followed = follow(a.tasks, id)
  await eventThat(a.tasks, id, ({ method }) => method === 'item/agentMessage/delta')
  await postgres.restart('immediate')
  const question = await questionOf(a.tasks, id)
  const answers = [a, b].map(({ tasks }) => tasks.decide(question.id, { answer: 'once' }, ALICE))
  const [outcomes] = await Promise.all([Promise.allSettled(answers), postgres.restart('immediate')])
  const won = outcomes.filter(({ status }) => status === 'fulfilled').length
  expect(won).toBeLessThanOrEqual(1)
  for (const outcome of outcomes)
    if (outcome.status === 'rejected')
      expect(['approval-settled', 'worker-unreachable', 'unavailable', 'database-unreachable']).toContain(
        (databaseTrouble(outcome.reason) ?? outcome.reason).code,
      )
  const { items } = await b.tasks.approvals({ taskId: id, status: 'pending' })
  for (const { id: open } of items) await b.tasks.decide(open, { answer: 'once' }, ALICE)
  const task = await taskThat(a.tasks, id, ({ status }) => status === 'completed')
  expect(task).toMatchObject({ result: { text: 'done' }, turnCount: 1 })
  expect(await countsOf(a.tasks, id)).toEqual(ALL)
  expect((await a.tasks.audit({ taskId: id })).items).toHaveLength(1)
  await expectFollowed(a.tasks, id, await followed())
})
