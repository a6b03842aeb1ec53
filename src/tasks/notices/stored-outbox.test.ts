import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { countNotices, openDatabase, retryNotice } from '../../store/index.ts'
import type { NewNotice } from './notices.ts'
import { findNotice, findOutgoing, noticePage, putNotices, storedOutbox } from './stored-outbox.ts'

const NOW = 1_800_000_000_000

async function open() {
  const folder = mkdtempSync(path.join(tmpdir(), 'outbox-'))
  const { db, close } = await openDatabase({ file: path.join(folder, 'test.db'), now: () => NOW })
  onTestFinished(async () => {
    await close()
    rmSync(folder, { recursive: true, force: true })
  })
  return { db, outbox: storedOutbox(db) }
}

function notice(id: string, known: Partial<NewNotice> = {}): NewNotice {
  return {
    id,
    taskId: 'task-1',
    cause: 'ended',
    target: 'webhook:https://a.example/s3cret',
    status: 'pending',
    title: 'Done',
    text: 'done',
    payload: '{}',
    attempts: 0,
    createdAt: NOW,
    ...known,
  }
}

const ids = (notices: readonly { readonly id: string }[]) => notices.map(({ id }) => id)
const ALL = { limit: 100, exceptTargets: [] }

describe('the outbox', () => {
  it('keeps notices with the transaction they were put in', async () => {
    const { db } = await open()
    const failing = db.transaction().execute(async (trx) => {
      await putNotices(trx, [notice('a')])
      throw new Error('the cause could not be stored')
    })
    await expect(failing).rejects.toThrow('could not be stored')
    expect(await findNotice(db, 'a')).toBeNull()
    await putNotices(db, [])
    expect(await countNotices(db)).toEqual({})
  })

  it('gives what is due, the longest waiting first, except to some targets', async () => {
    const { db, outbox } = await open()
    await putNotices(db, [
      notice('late', { createdAt: NOW + 1 }),
      notice('b', { target: 'team' }),
      notice('a'),
      notice('first', { createdAt: NOW - 5 }),
      notice('nobody', { target: '', status: 'no_target', createdAt: NOW - 9 }),
    ])
    expect(ids(await outbox.due(NOW, ALL))).toEqual(['first', 'a', 'b'])
    expect(ids(await outbox.due(NOW, { limit: 1, exceptTargets: [] }))).toEqual(['first'])
    const exceptTargets = ['webhook:https://a.example/s3cret']
    expect(ids(await outbox.due(NOW, { limit: 9, exceptTargets }))).toEqual(['b'])
    expect(await outbox.nextDueAt({ exceptTargets: [], now: NOW })).toBe(NOW - 5)
    expect(await outbox.nextDueAt({ exceptTargets: [...exceptTargets, 'team'], now: NOW })).toBeNull()
  })

  it('counts attempts and remembers how they ended', async () => {
    const { db, outbox } = await open()
    await putNotices(db, [notice('a'), notice('b'), notice('c')])
    await outbox.failed('a', { error: 'HTTP 500', nextAttemptAt: NOW + 60_000 })
    await outbox.dead('b', 'HTTP 410')
    await outbox.sent('c', NOW + 1)
    expect(await findNotice(db, 'a')).toMatchObject({
      status: 'pending',
      attempts: 1,
      lastError: 'HTTP 500',
      nextAttemptAt: NOW + 60_000,
    })
    expect(await findNotice(db, 'b')).toMatchObject({ status: 'dead', attempts: 1, nextAttemptAt: null })
    expect(await findNotice(db, 'c')).toMatchObject({ status: 'sent', attempts: 1, sentAt: NOW + 1 })
    expect(ids(await outbox.due(NOW, ALL))).toEqual([])
    expect(await outbox.nextDueAt({ exceptTargets: [], now: NOW })).toBe(NOW + 60_000)
    expect(await countNotices(db)).toEqual({ pending: 1, sent: 1, dead: 1 })
  })

  it('never turns what was sent into something else', async () => {
    const { db, outbox } = await open()
    await putNotices(db, [notice('a')])
    await outbox.sent('a', NOW)
    await outbox.dead('a', 'late news')
    expect(await findNotice(db, 'a')).toMatchObject({ status: 'sent', attempts: 1, lastError: null })
  })

  it('makes dead and waiting ones due again, and no others', async () => {
    const { db, outbox } = await open()
    await putNotices(db, [notice('dead'), notice('waiting'), notice('sent')])
    await outbox.dead('dead', 'HTTP 410')
    await outbox.failed('waiting', { error: 'HTTP 500', nextAttemptAt: NOW + 60_000 })
    await outbox.sent('sent', NOW)
    for (const id of ['dead', 'waiting']) {
      expect(await retryNotice(db, id, NOW + 5)).toBe(true)
      expect(await findNotice(db, id)).toMatchObject({
        status: 'pending',
        attempts: 0,
        nextAttemptAt: NOW + 5,
      })
    }
    expect(await retryNotice(db, 'sent', NOW)).toBe(false)
    expect(await findNotice(db, 'sent')).toMatchObject({ status: 'sent' })
    expect(await retryNotice(db, 'unknown', NOW)).toBe(false)
    expect(ids(await outbox.due(NOW + 5, ALL))).toEqual(['dead', 'waiting'])
  })

  it('shows targets without secrets, and gives them whole only to be sent', async () => {
    const { db } = await open()
    await putNotices(db, [notice('a'), notice('b', { target: 'team' })])
    const { items } = await noticePage(db, {})
    expect(items.map(({ target }) => target)).toEqual(['team', 'webhook:https://a.example/…'])
    expect(await findOutgoing(db, 'a')).toMatchObject({ target: 'webhook:https://a.example/s3cret' })
    expect(await findOutgoing(db, 'unknown')).toBeNull()
  })

  it('lists page by page, newest first, by status and task', async () => {
    const { db, outbox } = await open()
    await putNotices(db, [
      notice('a'),
      notice('b'),
      notice('c', { createdAt: NOW + 1 }),
      notice('d', { createdAt: NOW - 1, taskId: 'task-2' }),
    ])
    await outbox.sent('b', NOW)
    const first = await noticePage(db, { limit: 2 })
    expect(ids(first.items)).toEqual(['c', 'b'])
    const second = await noticePage(db, { limit: 2, cursor: first.cursor! })
    expect(ids(second.items)).toEqual(['a', 'd'])
    expect(second.cursor).toBeNull()
    expect(ids((await noticePage(db, { status: 'pending' })).items)).toEqual(['c', 'a', 'd'])
    expect(ids((await noticePage(db, { taskId: 'task-2' })).items)).toEqual(['d'])
    await expect(noticePage(db, { cursor: 'nonsense' })).rejects.toThrow(/cursor/)
  })
})
