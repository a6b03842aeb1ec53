// What each step makes of rows that were there before it.
import type { Insertable, Kysely } from 'kysely'
import { describe, expect, it } from 'vitest'
import { STORES, type TestStore } from '../../../test/support/stores.ts'
import { allRows, fillGenerated } from '../fixtures/generated-rows.ts'
import { approvalRow, messageRow, taskRow } from '../fixtures/sample-rows.ts'
import { shownTask, shownTasks } from '../rows/task-rows.ts'
import type { Database, MessageRow } from '../schema.ts'
import { MIGRATIONS } from './index.ts'

/** A database as this step left it, with these rows, opened by the newest version. */
async function upgradedFrom(store: TestStore, step: string, fill: (db: Kysely<Database>) => Promise<void>) {
  const old = await store.openAt(step)
  await fill(old.db)
  await old.close()
  return (await store.open()).reader
}

const tokens = (inputTokens: number) =>
  JSON.stringify({ inputTokens, cachedInputTokens: 20, outputTokens: 30, reasoningOutputTokens: 4 })

describe.each(STORES)('on $name', ({ make }) => {
  const upgraded = async (step: string, fill: (db: Kysely<Database>) => Promise<void>) =>
    upgradedFrom(await make(), step, fill)

  it('002 takes over turns from their messages, and tokens with the last turn of a task', async () => {
    const reader = await upgraded('001-first', async (db) => {
      const rows = [
        taskRow('two-turns', { thread_id: 'thread', usage: tokens(1_000), status: 'idle' }),
        taskRow('fork', { thread_id: 'other', usage: tokens(9_000), fork_of: '{}', status: 'timed-out' }),
        taskRow('at-work', { thread_id: 'third', turn_id: 'now', status: 'working' }),
        taskRow('odd', { usage: 'not JSON' }),
      ]
      for (const row of rows) await db.insertInto('tasks').values(row).execute()
      const message = (id: string, taskId: string, change: Partial<Insertable<MessageRow>>) =>
        db
          .insertInto('messages')
          .values(messageRow(id, taskId, change))
          .execute()
      await message('m1', 'two-turns', { turn_id: 'first', created_at: 10, updated_at: 20 })
      await message('m2', 'two-turns', { turn_id: 'second', created_at: 30, updated_at: 50 })
      await message('m3', 'two-turns', { turn_id: 'second', mode: 'steer', created_at: 5, updated_at: 60 })
      await message('m4', 'two-turns', { status: 'queued' })
      await message('m5', 'fork', { turn_id: 'forked', created_at: 70, updated_at: 80 })
      await message('m6', 'at-work', { turn_id: 'now' })
      await message('m7', 'odd', { turn_id: 'strange', created_at: 90, updated_at: 95 })
    })
    const columns = ['task_id', 'turn_id', 'thread_id', 'status', 'started_at', 'ended_at'] as const
    const turns = await reader.selectFrom('turns').selectAll().orderBy('started_at').execute()
    expect(turns.map((turn) => columns.map((name) => turn[name]))).toEqual([
      ['two-turns', 'first', 'thread', 'unknown', 10, 20],
      ['two-turns', 'second', 'thread', 'completed', 30, 50],
      ['fork', 'forked', 'other', 'timed-out', 70, 80],
      ['odd', 'strange', null, 'completed', 90, 95],
    ])
    expect(turns.map(({ input_tokens }) => input_tokens)).toEqual([0, 1_000, 0, 0])
    expect(turns[1]).toMatchObject({
      cached_input_tokens: 20,
      output_tokens: 30,
      reasoning_output_tokens: 4,
    })
  })

  it('002 takes over when questions were asked and settled', async () => {
    const reader = await upgraded('001-first', async (db) => {
      await db.insertInto('tasks').values(taskRow('a')).execute()
      const settled = { settled_at: 9 }
      const rows = [
        approvalRow('answered', 'a', { ...settled, status: 'answered', decided_by: 'rule' }),
        approvalRow('open', 'a'),
        approvalRow('withdrawn', 'a', { ...settled, status: 'withdrawn' }),
      ]
      for (const row of rows) await db.insertInto('approvals').values(row).execute()
    })
    const times = await reader.selectFrom('approval_times').selectAll().orderBy('approval_id').execute()
    expect(times).toEqual([
      { approval_id: 'answered', asked_at: 1_000, settled_at: 9, outcome: 'rule' },
      { approval_id: 'open', asked_at: 1_000, settled_at: null, outcome: null },
      { approval_id: 'withdrawn', asked_at: 1_000, settled_at: 9, outcome: 'withdrawn' },
    ])
  })

  it('003 cuts long answers for lists, and leaves them whole', async () => {
    const result = (text: string) => JSON.stringify({ turnId: 't', text, output: null })
    const texts = {
      long: `${'x'.repeat(1_999)}😀${'y'.repeat(100_000)}`,
      quoted: '"'.repeat(1_500),
      short: 'done',
    }
    const reader = await upgraded('002-usage', async (db) => {
      for (const [id, text] of Object.entries(texts))
        await db
          .insertInto('tasks')
          .values(taskRow(id, { result: result(text) }))
          .execute()
    })
    const { items } = await shownTasks(reader, {})
    const listed = Object.fromEntries(items.map(({ id, result }) => [id, JSON.parse(result!)]))
    expect(listed).toEqual({
      long: { turnId: 't', text: 'x'.repeat(1_999), output: null, isCut: true },
      quoted: { turnId: 't', text: texts.quoted, output: null },
      short: { turnId: 't', text: 'done', output: null },
    })
    expect(JSON.parse((await shownTask(reader, 'long'))!.result!)).toMatchObject({ text: texts.long })
  })

  it('015 says of one login only once whose it is', async () => {
    const reader = await upgraded('014-accounts', async (db) => {
      const account = (id: string, identity: string | null, created_at: number) => ({
        ...{ id, name: id, kind: 'chatgpt', pools: '[]', state: 'active', login: 'sealed', login_version: 1 },
        ...{
          identity,
          lease_generation: 0,
          reserve_percent: 0,
          on_limit: 'park',
          created_at,
          created_by: '',
        },
      })
      const rows = [
        account('second', 'who', 20),
        account('first', 'who', 10),
        account('third', 'who', 20),
        account('other', 'another', 10),
        account('unknown', null, 10),
        account('unknown-too', null, 10),
      ]
      await db.insertInto('accounts').values(rows).execute()
    })
    const rows = await reader.selectFrom('accounts').select(['id', 'identity']).execute()
    expect(Object.fromEntries(rows.map(({ id, identity }) => [id, identity]))).toEqual({
      ...{ first: 'who', second: null, third: null },
      ...{ other: 'another', unknown: null, 'unknown-too': null },
    })
  })

  it.each(Object.keys(MIGRATIONS))('what was there at %s is there at the newest', async (step) => {
    let before: Awaited<ReturnType<typeof allRows>> = {}
    const reader = await upgraded(step, async (db) => {
      await fillGenerated(db as unknown as Kysely<never>)
      before = await allRows(db as unknown as Kysely<never>)
    })
    const after = await allRows(reader as unknown as Kysely<never>)
    expect(Object.keys(before).length).toBeGreaterThan(5)
    for (const [table, rows] of Object.entries(before)) {
      const kept = rows.map((row) => expect.objectContaining(row))
      if (after[table]) expect(after[table]).toEqual(kept)
    }
  })
})
