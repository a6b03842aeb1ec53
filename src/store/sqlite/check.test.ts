import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startHolder } from '../fixtures/holder.ts'
import { approvalRow, eventRow, fill, taskRow } from '../fixtures/sample-rows.ts'
import { makeScratchStore } from '../fixtures/scratch-store.ts'
import { MIGRATIONS } from '../migrations/index.ts'
import { checkDatabase } from './check.ts'

describe('a check', () => {
  it('finds nothing wrong with a database in use by another process', async () => {
    const store = await scratch()
    await fill((await store.open()).db, { tasks: 3, events: 3 })
    await store.close()
    const holder = await startHolder(store.dataDir, 'write')
    onTestFinished(() => holder.kill())
    await holder.said(5)
    expect(await checkDatabase(store.file)).toEqual([])
  })

  it('works when nobody has it open', async () => {
    const store = await scratch()
    await fill((await store.open()).db, { tasks: 3, events: 3 })
    await store.close()
    expect(await checkDatabase(store.file)).toEqual([])
  })

  it('rejects when there is no database', async () => {
    const store = await scratch()
    await expect(checkDatabase(store.file)).rejects.toMatchObject({ code: 'database-not-found' })
  })

  it('finds rows that refer to nothing', async () => {
    const { file, change } = await filled()
    change(`pragma foreign_keys = off; delete from tasks where id = 'task-0001'`)
    const findings = await checkDatabase(file)
    expect(findings.map(({ kind }) => kind)).toEqual(['reference', 'reference', 'rule'])
    // SQLite looks at the tables in an order of its own.
    expect(
      findings
        .map(({ message }) => message)
        .sort()
        .reverse(),
    ).toEqual([
      'row 2 of task_labels refers to one of tasks that is not there',
      'row 2 of approvals refers to one of tasks that is not there',
      'events of task task-0001 are left, the task is not; the next retention run removes them',
    ])
  })

  it.each([
    [
      `update tasks set last_seq = 1 where id = 'task-0001'`,
      'task task-0001 has events beyond its last sequence',
    ],
    [
      `update tasks set status = 'bored' where id = 'task-0001'`,
      'task task-0001 has a status that does not exist',
    ],
    [
      `update approvals set settled_at = null where id = 'approval-1'`,
      'approval approval-1 is neither open nor settled',
    ],
    [
      `delete from audit where approval_id = 'approval-1'`,
      'approval approval-1 was answered, but the audit does not say so',
    ],
    [
      `update events set frame = '{' where task_id = 'task-0001' and seq = 2`,
      'event task-0001 2 is not JSON',
    ],
  ])('finds what breaks a rule: %s', async (statement, message) => {
    const { file, change } = await filled()
    change(statement)
    expect(await checkDatabase(file)).toEqual([{ kind: 'rule', message }])
  })

  it('says that a database is of another version, and leaves it at that', async () => {
    const { file } = await filled()
    const newer = { ...MIGRATIONS, '999-next': MIGRATIONS['001-first']! }
    expect(await checkDatabase(file, newer)).toEqual([
      { kind: 'schema', message: 'it has not had 999-next yet; the next start of the service does that' },
    ])
    expect(await checkDatabase(file, {})).toContainEqual({
      kind: 'schema',
      message: 'it has 001-first, which only a newer Drawbridge knows',
    })
  })

  it('finds an index that does not say what its table says', async () => {
    const { file, change } = await filled()
    change(`pragma writable_schema = on;
      update sqlite_master set sql = replace(sql, '"label"', '"task_id"') where name = 'task_labels_by_label'`)
    const findings = await checkDatabase(file)
    expect(new Set(findings.map(({ kind }) => kind))).toEqual(new Set(['damage']))
  })

  it('accepts an open question, a withdrawn one and a task without events', async () => {
    const store = await scratch()
    const { db, file } = await store.open()
    await db
      .insertInto('tasks')
      .values([taskRow('a', { last_seq: 1 }), taskRow('b')])
      .execute()
    await db.insertInto('events').values(eventRow('a', 1)).execute()
    await db
      .insertInto('approvals')
      .values([approvalRow('open', 'a'), approvalRow('gone', 'a')])
      .execute()
    await db
      .updateTable('approvals')
      .set({ status: 'withdrawn', settled_at: 5 })
      .where('id', '=', 'gone')
      .execute()
    expect(await checkDatabase(file)).toEqual([])
  })
})

async function scratch() {
  const store = await makeScratchStore()
  onTestFinished(() => store.remove())
  return store
}

async function filled() {
  const store = await scratch()
  const { db, file } = await store.open()
  await fill(db, { tasks: 3, events: 3 })
  await store.close()
  const change = (statement: string) => {
    const database = new DatabaseSync(file, { defensive: false })
    database.exec(statement)
    database.close()
  }
  return { file, change }
}
