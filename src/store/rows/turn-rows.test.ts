import { expect, it } from 'vitest'
import { STORES } from '../../../test/support/stores.ts'
import { eventRow, taskRow } from '../fixtures/sample-rows.ts'
import { insertEvents } from './insert-events.ts'
import { hasTurn, recordTurn } from './turn-rows.ts'

it.each(STORES)('knows the turns of a task from their records and from its log: $name', async ({ make }) => {
  const { db } = await (await make()).open()
  await db
    .insertInto('tasks')
    .values([taskRow('a'), taskRow('b')])
    .execute()
  await recordTurn(db, {
    task_id: 'a',
    turn_id: 'ended',
    thread_id: 'thread',
    status: 'completed',
    started_at: 1,
    ended_at: 2,
    input_tokens: 0,
    cached_input_tokens: 0,
    output_tokens: 0,
    reasoning_output_tokens: 0,
  })
  await insertEvents(db, [eventRow('a', 1, { turn_id: 'logged' })])
  const known = (taskId: string) =>
    Promise.all(['ended', 'logged', 'nope'].map((turnId) => hasTurn(db, { taskId, turnId })))
  expect(await known('a')).toEqual([true, true, false])
  expect(await known('b')).toEqual([false, false, false])
})
