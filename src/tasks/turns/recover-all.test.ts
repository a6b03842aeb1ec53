import { expect, it } from 'vitest'
import type { StoredTask } from '../../store/index.ts'
import { type RecoverParts, type RecoveryPlan, recoverAll, recoverTasks } from './recover-all.ts'
import { Recovering } from './recovering.ts'

const NEVER = new Promise<never>(() => {})
const NOTHING: RecoveryPlan = {
  ...{ atWork: [], limited: [], queued: [], unsent: [], orphans: [] },
  withMessages: new Set(),
}

function row(id: string, columns: Partial<StoredTask> = {}): StoredTask {
  const orphan_turn = null
  const host = null
  return {
    ...{ id, status: 'working', turn_id: 'turn', app_server_id: id, orphan_turn, host },
    ...columns,
  } as StoredTask
}

const orphan = (id: string) => row(id, { status: 'interrupted', turn_id: null, orphan_turn: 'turn' })

function partsWith(own: Partial<RecoverParts> & { recover?: RecoverParts['runs']['recover'] }): RecoverParts {
  return {
    runs: { recover: own.recover ?? (async () => {}), wake: () => {}, park: () => {} },
    recovering: new Recovering(),
    endOrphanTurn: async () => {},
    restoreQuestions: async () => {},
    hasClaims: true,
    ...own,
  } as RecoverParts
}

it('keeps nobody waiting for a turn that was given up, in a codex that does not answer', async () => {
  const woken: string[] = []
  const parts = partsWith({ endOrphanTurn: () => NEVER })
  const runs = { ...parts.runs, wake: (id: string) => void woken.push(id) }
  const plan = {
    ...NOTHING,
    orphans: [orphan('one')],
    queued: [
      row('two', { status: 'queued', turn_id: null, orphan_turn: 'turn' }),
      row('three', { status: 'queued' }),
    ],
    unsent: [row('four', { status: 'idle', turn_id: null, orphan_turn: 'turn' })],
    withMessages: new Set(['two', 'three', 'four']),
  }
  await recoverAll(plan, { ...parts, runs }).found
  expect(woken).toEqual(['three'])
})

it('has found all only when each was looked at, also when one could not be', async () => {
  const second = Promise.withResolvers<void>()
  const parts = partsWith({
    recover: ({ id }) => (id === 'one' ? Promise.reject(new Error('no store')) : second.promise),
  })
  const { found, ended } = recoverAll({ ...NOTHING, atWork: [row('one'), row('two')] }, parts)
  let isFound = false
  const settled = found.catch((error: Error) => {
    isFound = true
    return error.message
  })
  await ended
  await parts.recovering.over('one')
  await new Promise(setImmediate)
  expect(isFound).toBe(false)
  second.resolve()
  expect(await settled).toBe('no store')
})

it('waits for no task on a host that is away, and lets what is wanted of it be told so', async () => {
  const parts = partsWith({ recover: ({ id }) => (id === 'far' ? NEVER : Promise.resolve()) })
  const atWork = [row('far', { host: 'build-box' }), row('near')]
  parts.recovering.begin(atWork.map(({ id }) => id))
  await recoverAll({ ...NOTHING, atWork }, parts).found
  await parts.recovering.over('far')
  expect(parts.recovering.count(() => true)).toBe(0)
})

it('those whose turn was given up have ended: they want no place, and what is wanted of them waits', async () => {
  const turn = Promise.withResolvers<void>()
  const work = Promise.withResolvers<void>()
  const parts = partsWith({ endOrphanTurn: () => turn.promise, recover: () => work.promise })
  const recovered = recoverTasks([orphan('one'), row('two')], parts)
  expect(parts.recovering.count(() => true)).toBe(1)
  let isOver = false
  const over = parts.recovering.over('one').then(() => {
    isOver = true
  })
  await new Promise(setImmediate)
  expect(isOver).toBe(false)
  turn.resolve()
  await over
  work.resolve()
  await recovered
})

it('fails at once with a turn that could not be ended, while the store is still waited for', async () => {
  const parts = partsWith({
    endOrphanTurn: () => Promise.reject(new Error('the service is stopping')),
    restoreQuestions: () => NEVER,
  })
  await expect(recoverTasks([orphan('one')], parts)).rejects.toThrow('the service is stopping')
})
