// On both databases: a file is told by one message, and by another when that one never reached the model.
import { describe, expect, it, onTestFinished } from 'vitest'
import { STORES } from '../../../test/support/stores.ts'
import { messageRow, taskRow } from '../fixtures/sample-rows.ts'
import { insertMessage, updateMessage } from './message-rows.ts'
import { deleteTask, insertTask } from './task-rows.ts'
import { deleteUntold, insertUploads, takeUntold, tasksThatAre, uploadRows } from './upload-rows.ts'

describe.each(STORES)('uploads on $name', ({ make }) => {
  it('are told once, again after a message that failed, and taken back only before', async () => {
    const store = await (await make()).open()
    onTestFinished(() => store.close())
    const { db } = store
    await insertTask(db, taskRow('t'), [])
    const upload = (id: string, at: number) => ({
      ...{ id, task_id: 't', name: id, path: `/${id}`, bytes: 5_000_000_000, type: 'x', sha256: 'x' },
      ...{ actor: 'me', message_id: null, created_at: at },
    })
    await insertUploads(db, [upload('a', 2), upload('b', 1), upload('wrong', 3)])
    expect(await deleteUntold(db, 't', 'wrong')).toMatchObject({ name: 'wrong', bytes: 5_000_000_000 })
    const told = async (messageId: string) => (await takeUntold(db, 't', { messageId })).map(({ id }) => id)
    await insertMessage(db, messageRow('m1', 't', { status: 'queued' }))
    expect(await told('m1')).toEqual(['b', 'a'])
    expect(await told('m2')).toEqual([])
    expect(await deleteUntold(db, 't', 'a')).toBeUndefined()
    await updateMessage(db, 'm1', { from: ['queued'], status: 'cancelled' })
    expect(await told('m3')).toEqual(['b', 'a'])
    expect([...(await tasksThatAre(db, ['t', 'gone']))]).toEqual(['t'])
    await deleteTask(db, 't')
    expect(await uploadRows(db, 't')).toEqual([])
  })
})
