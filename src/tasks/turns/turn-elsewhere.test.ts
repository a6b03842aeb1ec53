import { expect, it, onTestFinished } from 'vitest'
import type { protocol } from '../../codex/index.ts'
import { taskRow as sampleTask } from '../../store/fixtures/sample-rows.ts'
import { makeScratchStore } from '../../store/fixtures/scratch-store.ts'
import { taskRow } from '../../store/index.ts'
import { unsettledIn } from './turn-elsewhere.ts'

const said = { type: 'agentMessage', id: 'i', text: 'half' }

function turn(id: string, status: protocol.v2.Turn['status'], items: readonly object[]): protocol.v2.Turn {
  return { id, status, items, itemsView: 'full' } as unknown as protocol.v2.Turn
}

it('a turn that codex died in before anything came of it is none of the task’s', async () => {
  const store = await makeScratchStore()
  onTestFinished(() => store.remove())
  const { db } = await store.open()
  await db
    .insertInto('tasks')
    .values(sampleTask('a', { thread_id: 'thread' }))
    .execute()
  const row = (await taskRow(db, 'a'))!
  const turns = [
    turn('4', 'inProgress', []),
    turn('3', 'interrupted', []),
    turn('2', 'interrupted', [said]),
    turn('1', 'completed', [said]),
  ]
  const unsettled = await unsettledIn(db, row, { turns, after: null })
  expect(unsettled.map(({ turnId, status }) => [turnId, status])).toEqual([
    ['1', 'completed'],
    ['2', 'interrupted'],
  ])
  const since = await unsettledIn(db, row, { turns, after: '2' })
  expect(since).toEqual([])
})
