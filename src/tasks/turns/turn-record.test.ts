import { describe, expect, it, onTestFinished } from 'vitest'
import { NO_TOKENS } from '../../codex/index.ts'
import { messageRow, taskRow as sampleTask } from '../../store/fixtures/sample-rows.ts'
import { makeScratchStore } from '../../store/fixtures/scratch-store.ts'
import { type TaskInsert, taskRow, updateTask } from '../../store/index.ts'
import { TokenMeter } from '../link/token-meter.ts'
import type { Settled } from './settled.ts'
import { writeTurnRecord } from './turn-record.ts'

const NOW = 100_000
const tokens = (inputTokens: number) => ({ ...NO_TOKENS, inputTokens, totalTokens: inputTokens })

function settled(turnId: string, change: Partial<Settled> = {}): Settled {
  return { turnId, status: 'completed', text: null, failure: null, evidence: {}, ...change }
}

/** A task whose turns end one after the other. */
async function open(change: Partial<TaskInsert> = {}) {
  const store = await makeScratchStore()
  onTestFinished(() => store.remove())
  const { db } = await store.open()
  await db
    .insertInto('tasks')
    .values(sampleTask('a', { thread_id: 'thread', ...change }))
    .execute()
  return {
    db,
    end: async (usage: TokenMeter, end: Settled) => {
      const row = (await taskRow(db, 'a'))!
      await updateTask(db, 'a', {
        updated_at: NOW,
        ...(await writeTurnRecord({ db, now: NOW, emit: () => {}, after: (effect) => effect() }, row, {
          settled: end,
          usage,
        })),
      })
    },
    used: async () => {
      const rows = await db
        .selectFrom('turns')
        .select(['turn_id', 'input_tokens'])
        .orderBy('turn_id')
        .execute()
      return Object.fromEntries(rows.map(({ turn_id, input_tokens }) => [turn_id, input_tokens]))
    },
  }
}

function heard(total: number, last: number, threadId = 'thread'): TokenMeter {
  const meter = new TokenMeter()
  meter.hear(threadId, { total: tokens(total), last: tokens(last) })
  return meter
}

describe('what a turn used', () => {
  it('is what the thread has used since the turn before, over restarts too', async () => {
    const { end, used, db } = await open()
    await end(heard(1_000, 100), settled('1'))
    await end(heard(1_700, 100), settled('2'))
    expect(await used()).toEqual({ 1: 1_000, 2: 700 })
    expect(JSON.parse((await taskRow(db, 'a'))!.usage!)).toEqual(tokens(1_700))
  })

  it('is with the next turn when nobody heard of it', async () => {
    const { end, used } = await open()
    await end(heard(1_000, 100), settled('1'))
    await end(new TokenMeter(), settled('2'))
    await end(heard(1_800, 100), settled('3'))
    expect(await used()).toEqual({ 1: 1_000, 2: 0, 3: 800 })
  })

  it('is not what another thread had used: of a fork, or before the thread was begun anew', async () => {
    const fork = await open({ fork_of: '{}', thread_id: 'fork' })
    await fork.end(new TokenMeter(), settled('1'))
    await fork.end(heard(9_100, 100, 'fork'), settled('2'))
    await fork.end(heard(9_300, 50, 'fork'), settled('3'))
    expect(await fork.used()).toEqual({ 1: 0, 2: 100, 3: 200 })
    const again = await open()
    await again.end(heard(500, 500), settled('1', { status: 'lost' }))
    await updateTask(again.db, 'a', { thread_id: 'second' })
    await again.end(heard(700, 100, 'second'), settled('2'))
    expect(await again.used()).toEqual({ 1: 500, 2: 700 })
  })

  it('is kept for the next one where there was no turn', async () => {
    const { end, used, db } = await open()
    await end(heard(300, 300), settled('', { status: 'failed' }))
    expect(await used()).toEqual({})
    expect((await taskRow(db, 'a'))!.usage).toBeNull()
    await end(heard(400, 100), settled('1'))
    expect(await used()).toEqual({ 1: 400 })
  })
})

describe('when a turn was', () => {
  const times = async (end: Settled) => {
    const opened = await open({ created_at: 10_000 })
    const sent = { turn_id: '1', updated_at: 40_000 }
    const steered = { turn_id: '1', mode: 'steer', updated_at: 30_000 }
    await opened.db
      .insertInto('messages')
      .values([messageRow('s', 'a', steered), messageRow('m', 'a', sent)])
      .execute()
    await opened.end(new TokenMeter(), end)
    const { started_at, ended_at } = await opened.db.selectFrom('turns').selectAll().executeTakeFirstOrThrow()
    return [started_at, ended_at]
  }

  it('is from when codex had its message until now', async () => {
    expect(await times(settled('1'))).toEqual([40_000, NOW])
    expect(await times(settled('without message'))).toEqual([NOW, NOW])
  })

  it('is what the history of the thread says, if that can be', async () => {
    expect(await times(settled('1', { times: { startedAt: 35_000, endedAt: 70_000 } }))).toEqual([
      35_000, 70_000,
    ])
    expect(await times(settled('1', { times: { startedAt: 0, endedAt: NOW + 1 } }))).toEqual([40_000, NOW])
    expect(await times(settled('1', { times: { startedAt: null, endedAt: null } }))).toEqual([40_000, NOW])
  })
})
