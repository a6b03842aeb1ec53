import { QueryClient } from '@tanstack/react-query'
import { describe, expect, it } from 'vitest'
import type { Approval, EventEnvelope, Page, Task } from './contract.ts'
import { isNewQuestion, patchCache, staleKeys } from './patch-cache.ts'
import { keys } from './queries.ts'

const said = (method: string, params: object): EventEnvelope => ({
  taskId: 't',
  seq: 7,
  at: 1000,
  event: { method, params },
})

describe('what the service says', () => {
  it('is in the lists at once: the status of a task', () => {
    const client = new QueryClient()
    const tasks = [
      { id: 't', status: 'working', title: 'Mine' },
      { id: 'u', status: 'working' },
    ] as Task[]
    client.setQueryData(keys.tasks({}), { pages: [{ items: tasks, cursor: null }], pageParams: [undefined] })
    patchCache(
      client,
      said('drawbridge/task', { status: 'waiting', waitingFor: 'approval', reason: 'asks', evidence: {} }),
    )
    expect(client.getQueryData(keys.tasks({}))).toMatchObject({
      pages: [
        { items: [{ status: 'waiting', waitingFor: 'approval', title: 'Mine' }, { status: 'working' }] },
      ],
    })
  })

  it('is on the card at once: who answered a question, and what', () => {
    const client = new QueryClient()
    const open = [{ id: 'q', kind: 'command', status: 'pending' }] as Approval[]
    client.setQueryData<Page<Approval>>(keys.open, { items: open, cursor: null })
    const answered = {
      approvalId: 'q',
      status: 'answered',
      kind: 'command',
      by: 'person',
      actor: 'bob',
      answer: 'deny',
      why: null,
    }
    patchCache(client, said('drawbridge/approval', answered))
    expect(client.getQueryData(keys.open)).toMatchObject({
      items: [{ id: 'q', status: 'answered', actor: 'bob', answer: 'deny' }],
    })
  })

  it('makes the inbox old only when somebody new waits', () => {
    expect(isNewQuestion(said('drawbridge/approval', { status: 'pending' }))).toBe(true)
    expect(isNewQuestion(said('drawbridge/approval', { status: 'answered' }))).toBe(false)
    expect(staleKeys(said('drawbridge/approval', { status: 'answered' }))).toContainEqual(keys.audit)
    expect(staleKeys(said('drawbridge/task', {}))).not.toContainEqual(keys.audit)
    expect(staleKeys(said('drawbridge/upload', {}))).toContainEqual(keys.uploads('t'))
  })
})
