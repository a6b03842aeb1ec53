// Queries that nothing else asks of both databases.
import { describe, expect, it } from 'vitest'
import { STORES } from '../../../test/support/stores.ts'
import { approvalRow, messageRow, noticeRow, taskRow } from '../fixtures/sample-rows.ts'
import * as approvals from './approval-rows.ts'
import * as messages from './message-rows.ts'
import * as outbox from './outbox-rows.ts'
import { questionFigures, waitIn } from './question-figures.ts'
import * as tasks from './task-rows.ts'
import { turnFigures } from './turn-figures.ts'
import { hasTurnIn, recordTurn } from './turn-rows.ts'

const ids = (rows: readonly { id: unknown }[]) => rows.map(({ id }) => id)

describe.each(STORES)('on $name', ({ make }) => {
  const opened = async () => (await make()).open()

  it('tasks are listed, counted, searched and queued', async () => {
    const { db, reader } = await opened()
    await tasks.insertTask(db, taskRow('a', { title: 'Fix the Build_1', notify: '["x","y"]' }), [
      'b',
      'a',
      'b',
    ])
    await tasks.insertTask(db, taskRow('b', { prompt: 'BUILD it', cwd: '/other', created_at: 3 }), ['a'])
    await tasks.insertTask(
      db,
      taskRow('c', { result: '{"text":"100% built"}', archived_at: 5, created_at: 2 }),
      [],
    )
    for (const [index, id] of ['q1', 'q2', 'q0'].entries())
      await tasks.insertTask(
        db,
        taskRow(id, { status: 'queued', queued_at: index < 2 ? 7 : null, notify: '["y"]' }),
        [],
      )
    const found = async (query: Parameters<typeof tasks.shownTasks>[1]) =>
      ids((await tasks.shownTasks(reader, query)).items).toSorted()
    expect(await found({ search: 'build' })).toEqual(['a', 'b'])
    expect(await found({ search: 'build_1' })).toEqual(['a'])
    expect(await found({ search: '0% B', archived: true })).toEqual(['c'])
    expect(await found({ search: 'q1' })).toEqual(['q1'])
    expect(await found({ labels: ['a', 'b'] })).toEqual(['a'])
    expect(await found({ cwd: '/other', status: ['completed', 'failed'] })).toEqual(['b'])
    expect(await found({ archived: 'only' })).toEqual(['c'])
    expect(await tasks.countByStatus(reader, {})).toEqual({ completed: 2, queued: 3 })
    expect(await tasks.labelsOf(reader, 'a')).toEqual(['a', 'b'])
    expect((await tasks.targetsInUse(reader)).toSorted()).toEqual(['x', 'y'])
    expect(ids(await tasks.taskRowsByStatus(reader, ['queued']))).toEqual(['q0', 'q1', 'q2'])
    const positions = ['q1', 'q2', 'a'].map(async (id) => (await tasks.shownTask(reader, id))?.queue_position)
    expect(await Promise.all(positions)).toEqual([1, 2, null])
    await tasks.deleteTask(db, 'a')
    expect([await tasks.shownTask(reader, 'a'), await tasks.labelsOf(reader, 'a')]).toEqual([null, []])
  })

  it('of one key there is one task', async () => {
    const { db, reader } = await opened()
    await tasks.insertTask(db, taskRow('a', { idempotency_key: 'once' }), [])
    await expect(tasks.insertTask(db, taskRow('b', { idempotency_key: 'once' }), [])).rejects.toThrow()
    expect((await tasks.taskRowByKey(reader, 'once'))?.id).toBe('a')
  })

  it('a question is settled once, and its time is noted', async () => {
    const { db, reader } = await opened()
    await tasks.insertTask(db, taskRow('a'), [])
    for (const [index, id] of ['one', 'two', 'three'].entries())
      await approvals.insertApproval(
        db,
        approvalRow(id, 'a', { created_at: index, app_server_id: 's', request_id: id }),
      )
    const cancel = {
      from: 'pending',
      status: 'answered',
      decided_by: 'person',
      answer: '"cancel"',
      actor: 'me',
    }
    const change = { ...cancel, settled_at: 10, question: '{"turnId":"t"}' }
    expect(await approvals.settleApproval(db, 'one', change)).toMatchObject({ id: 'one', status: 'answered' })
    expect(await approvals.settleApproval(db, 'one', change)).toBeUndefined()
    expect(await approvals.cancelledIn(reader, 'a', 't')).toEqual({ title: 'rm -rf build', actor: 'me' })
    expect((await approvals.approvalByRequest(reader, 's', 'two'))?.id).toBe('two')
    expect(ids(await approvals.pendingApprovals(reader, 'a'))).toEqual(['two', 'three'])
    expect(await approvals.openApprovals(reader)).toEqual({ count: 2, oldestAt: 1 })
    const page = await approvals.listApprovals(reader, { taskId: 'a', limit: 2 })
    const next = await approvals.listApprovals(reader, { limit: 2, cursor: page.cursor! })
    expect([ids(page.items), ids(next.items)]).toEqual([['three', 'two'], ['one']])
    expect((await tasks.shownTask(reader, 'a'))?.open_approvals).toBe(2)
    const stretches = [
      { from: 0, to: 5 },
      { from: 5, to: 20 },
    ]
    const figures = await questionFigures(reader, stretches)
    expect(figures.map(({ questions }) => [questions.asked, questions.byPerson])).toEqual([
      [3, 0],
      [0, 1],
    ])
    expect(await waitIn(reader, { from: 0, to: 20 })).toEqual({ medianMs: 10, maxMs: 10 })
  })

  it('the audit counts up, and rules are revoked once', async () => {
    const { db, reader } = await opened()
    const entry = { at: 1, approval_id: 'x', task_id: 'a', kind: 'command', title: 't', decided_by: 'rule' }
    for (let index = 0; index < 3; index++) await approvals.insertAudit(db, entry)
    const page = await approvals.listAudit(reader, { taskId: 'a', limit: 2 })
    const next = await approvals.listAudit(reader, { limit: 2, cursor: page.cursor! })
    expect([ids(page.items), ids(next.items)]).toEqual([[3, 2], [1]])
    await approvals.insertRule(db, { id: 'r', text: 'allow ls', created_at: 1, created_by: 'me' })
    const revoked = { revoked_at: 2, revoked_by: 'me' }
    expect(await approvals.revokeRule(db, 'r', revoked)).toMatchObject({ id: 'r', revoked_at: 2 })
    expect(await approvals.revokeRule(db, 'r', revoked)).toBeUndefined()
    expect(ids(await approvals.listRules(reader, { revoked: false }))).toEqual([])
    expect(ids(await approvals.listRules(reader, { revoked: true }))).toEqual(['r'])
  })

  it('messages change only from what they are', async () => {
    const { db, reader } = await opened()
    await tasks.insertTask(db, taskRow('a'), [])
    await messages.insertMessage(db, messageRow('m', 'a', { status: 'queued', client_id: 'c', input: '[]' }))
    await expect(messages.insertMessage(db, messageRow('n', 'a', { client_id: 'c' }))).rejects.toThrow()
    await messages.insertMessage(db, messageRow('o', 'a', { status: 'failed', input: '[]', turn_id: 't' }))
    expect(await messages.tasksWithMessages(reader, ['queued'])).toEqual(['a'])
    const sent = { from: ['queued'], status: 'delivered', turn_id: 't' }
    expect([
      await messages.updateMessage(db, 'm', sent),
      await messages.updateMessage(db, 'm', sent),
    ]).toEqual([true, false])
    expect(ids(await messages.messagesOfTurn(reader, 'a', 't'))).toEqual(['m'])
    expect((await messages.messageByClientId(reader, 'a', 'c'))?.id).toBe('m')
    await messages.forgetInputs(db, 'a', { before: 2_000 })
    const rows = await messages.messageRows(reader, 'a', ['failed', 'delivered'])
    expect(rows.map(({ id, input }) => [id, input])).toEqual([
      ['m', '[]'],
      ['o', null],
    ])
  })

  it('notices are due, settled, retried and counted', async () => {
    const { db, reader } = await opened()
    const pending = { status: 'pending', attempts: 0 }
    const due = (id: string, at: number | null, target: string) =>
      noticeRow(id, 'a', { ...pending, next_attempt_at: at, target })
    await outbox.insertNotices(db, [
      due('n1', 5, 'x'),
      due('n2', 3, 'y'),
      due('n3', null, 'x'),
      noticeRow('n4', 'a'),
    ])
    expect(ids(await outbox.dueNotices(reader, 9, { limit: 9, exceptTargets: [] }))).toEqual(['n2', 'n1'])
    expect(ids(await outbox.dueNotices(reader, 9, { limit: 9, exceptTargets: ['y'] }))).toEqual(['n1'])
    expect(await outbox.nextNoticeDueAt(reader, { exceptTargets: ['y'] })).toBe(5)
    await outbox.settleNotice(db, 'n1', { status: 'dead', last_error: 'no' })
    expect(await outbox.noticeRow(reader, 'n1')).toMatchObject({ status: 'dead', attempts: 1 })
    expect([await outbox.retryNotice(db, 'n1', 8), await outbox.retryNotice(db, 'n4', 8)]).toEqual([
      true,
      false,
    ])
    expect(await outbox.countNotices(reader)).toEqual({ pending: 3, sent: 1 })
    const page = await outbox.listNotices(reader, { limit: 3 })
    expect([ids(page.items), page.cursor === null]).toEqual([['n4', 'n3', 'n2'], false])
  })

  it('turns add up', async () => {
    const { db, reader } = await opened()
    const tokens = {
      input_tokens: 3_000_000_000,
      cached_input_tokens: 2,
      output_tokens: 3,
      reasoning_output_tokens: 4,
    }
    const turn = {
      task_id: 'a',
      turn_id: 't',
      thread_id: 'h',
      status: 'failed',
      started_at: 1,
      ended_at: 6,
      ...tokens,
    }
    await recordTurn(db, turn)
    await recordTurn(db, { ...turn, status: 'completed', ended_at: 7 })
    expect(await hasTurnIn(reader, { taskId: 'a', threadId: 'h' })).toBe(true)
    expect(await hasTurnIn(reader, { taskId: 'a', threadId: null })).toBe(false)
    await tasks.insertTask(db, taskRow('b', { status: 'working', turn_id: 'now' }), [])
    await messages.insertMessage(db, messageRow('m', 'b', { turn_id: 'now', updated_at: 8 }))
    expect(
      await turnFigures(reader, [
        { from: 0, to: 5 },
        { from: 5, to: 10 },
      ]),
    ).toEqual([
      {
        turns: { started: 1, completed: 0, failed: 0, interrupted: 0 },
        tokens: { input: 0, cachedInput: 0, output: 0, reasoningOutput: 0 },
      },
      {
        turns: { started: 1, completed: 1, failed: 0, interrupted: 0 },
        tokens: { input: 6_000_000_000, cachedInput: 4, output: 6, reasoningOutput: 8 },
      },
    ])
  })
})
