import { describe, expect, it } from 'vitest'
import type { CodexNotification } from '../protocol/index.ts'
import { OpenChanges } from './open-changes.ts'

const changes = [{ path: '/a', kind: { type: 'add' }, diff: 'one\n' }]

function item(method: string, more: object = {}, threadId = 'thread'): CodexNotification {
  const params = { threadId, turnId: 'turn', item: { type: 'fileChange', id: 'item', changes, ...more } }
  return { method, params } as unknown as CodexNotification
}

function observed(...notifications: CodexNotification[]): OpenChanges {
  const open = new OpenChanges()
  for (const notification of notifications) open.observe(notification)
  return open
}

const asked = { threadId: 'thread', itemId: 'item' }

describe('the changes under way', () => {
  it('are found by thread and item while the item is open', () => {
    const open = observed(item('item/started'))
    expect(open.of(asked)).toBe(changes)
    expect(open.of({ threadId: 'other', itemId: 'item' })).toEqual([])
    expect(open.of({ threadId: 'thread', itemId: 'other' })).toEqual([])
    expect(open.of(undefined)).toEqual([])
    expect(observed(item('item/started'), item('item/completed')).of(asked)).toEqual([])
  })

  it('are forgotten with their thread’s turn, not with another’s', () => {
    const open = observed(item('item/started'), item('item/started', {}, 'other'))
    open.forget('other')
    open.forget(undefined)
    expect(open.of(asked)).toBe(changes)
    open.forget('thread')
    expect(open.of(asked)).toEqual([])
  })

  it('are none when the item has none, or is of another kind', () => {
    expect(observed(item('item/started', { changes: null })).of(asked)).toEqual([])
    expect(observed(item('item/started', { type: 'commandExecution' })).of(asked)).toEqual([])
    expect(observed({ method: 'turn/started' } as never).of(asked)).toEqual([])
  })
})
