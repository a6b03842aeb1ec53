import { describe, expect, it } from 'vitest'
import { STORES } from '../../../test/support/stores.ts'
import { approvalRow, taskRow } from '../fixtures/sample-rows.ts'
import { listApprovals, openApprovals } from './approval-rows.ts'
import { countByStatus, shownTasks } from './task-rows.ts'

describe.each(STORES)('on $name', ({ make }) => {
  it('a token owns the tasks it started and all below them', async () => {
    const { db } = await (await make()).open()
    const rows = [
      taskRow('mine', { created_by: 'ci', created_by_name: 'ci-bot', created_at: 1 }),
      taskRow('child', { parent: 'mine', depth: 1, created_by: 'other', created_at: 2 }),
      taskRow('grandchild', { parent: 'child', depth: 2, created_at: 3, archived_at: 5 }),
      taskRow('theirs', { created_by: 'other', created_at: 4 }),
      taskRow('orphan', { parent: 'deleted', depth: 1, created_at: 5 }),
    ]
    for (const row of rows) {
      await db.insertInto('tasks').values(row).execute()
      await db
        .insertInto('approvals')
        .values(approvalRow(`ask ${row.id}`, row.id))
        .execute()
    }
    const idsOf = async (query: Parameters<typeof shownTasks>[1]) =>
      (await shownTasks(db, query)).items.map(({ id }) => id)
    expect(await idsOf({ ownedBy: 'ci', archived: true })).toEqual(['grandchild', 'child', 'mine'])
    expect(await idsOf({ ownedBy: 'other' })).toEqual(['theirs', 'child'])
    expect(await idsOf({ ownedBy: "' or 1=1 --" })).toEqual([])
    expect(await idsOf({ parent: 'mine' })).toEqual(['child'])
    expect(await idsOf({ below: 'mine', archived: true })).toEqual(['grandchild', 'child'])
    expect(await idsOf({ below: 'grandchild', archived: true })).toEqual([])
    expect(await countByStatus(db, { below: 'mine', archived: true })).toEqual({ completed: 2 })
    expect(await countByStatus(db, { ownedBy: 'ci', archived: true })).toEqual({ completed: 3 })
    const asked = await listApprovals(db, { ownedBy: 'ci', status: 'pending' })
    expect(asked.items.map(({ task_id }) => task_id).sort()).toEqual(['child', 'grandchild', 'mine'])
    expect(await openApprovals(db, { ownedBy: 'ci' })).toMatchObject({ count: 3 })
    expect(await openApprovals(db)).toMatchObject({ count: 5 })
    expect((await shownTasks(db, { parent: 'mine' })).items[0]).toMatchObject({
      created_by: 'other',
      parent: 'mine',
      depth: 1,
    })
  })
})
