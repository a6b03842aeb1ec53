import { describe, expect, it } from 'vitest'
import type { CodexNotification } from '../protocol/index.ts'
import { OpenItems } from './open-items.ts'

const changes = [{ path: '/a', kind: { type: 'add' }, diff: 'one\n' }]
const patch = { type: 'fileChange', id: 'item', changes }
const call = (id: string) => ({ type: 'mcpToolCall', id, server: 'asker', tool: 'danger' })

function item(method: string, of: object, threadId = 'thread'): CodexNotification {
  return { method, params: { threadId, turnId: 'turn', item: of } } as unknown as CodexNotification
}

function observed(...notifications: CodexNotification[]): OpenItems {
  const open = new OpenItems()
  for (const notification of notifications) open.observe(notification)
  return open
}

const asked = { threadId: 'thread', itemId: 'item' }

describe('the changes under way', () => {
  it('are found by thread and item while the item is open', () => {
    const open = observed(item('item/started', patch))
    expect(open.changes(asked)).toBe(changes)
    expect(open.changes({ threadId: 'other', itemId: 'item' })).toEqual([])
    expect(open.changes({ threadId: 'thread', itemId: 'other' })).toEqual([])
    expect(open.changes({ threadId: null, itemId: null })).toEqual([])
    expect(observed(item('item/started', patch), item('item/completed', patch)).changes(asked)).toEqual([])
  })

  it('are forgotten with their thread’s turn, not with another’s', () => {
    const open = observed(item('item/started', patch), item('item/started', patch, 'other'))
    open.forget('other')
    open.forget(undefined)
    expect(open.changes(asked)).toBe(changes)
    open.forget('thread')
    expect(open.changes(asked)).toEqual([])
  })

  it('are none when the item has none, or is of another kind', () => {
    expect(observed(item('item/started', { ...patch, changes: null })).changes(asked)).toEqual([])
    const command = { ...patch, type: 'commandExecution' }
    expect(observed(item('item/started', command)).changes(asked)).toEqual([])
    expect(observed(item('item/started', { ...call('item'), changes })).changes(asked)).toEqual([])
    expect(observed({ method: 'turn/started' } as never).changes(asked)).toEqual([])
  })
})

describe('the tool calls under way', () => {
  const ids = (open: OpenItems, requestId = 1) => open.toolCalls('thread', requestId).map(({ id }) => id)

  it('are those of the thread that have begun and not ended', () => {
    const open = observed(
      item('item/started', call('one')),
      item('item/started', call('two')),
      item('item/started', patch),
      item('item/started', call('elsewhere'), 'other'),
    )
    expect(ids(open)).toEqual(['one', 'two'])
    open.observe(item('item/completed', call('one')))
    expect(ids(open)).toEqual(['two'])
    open.forget('thread')
    expect(ids(open)).toEqual([])
    expect(open.toolCalls(null, 1)).toEqual([])
  })

  it('are asked about once: then only the same request, sent again, finds them', () => {
    const open = observed(item('item/started', call('one')))
    open.markAsked('one', 1)
    expect(ids(open, 1)).toEqual(['one'])
    expect(ids(open, 2)).toEqual([])
    open.observe(item('item/completed', call('one')))
    open.observe(item('item/started', call('one')))
    expect(ids(open, 2)).toEqual(['one'])
    open.markAsked('one', 2)
    open.forget('thread')
    open.observe(item('item/started', call('one')))
    expect(ids(open, 3)).toEqual(['one'])
  })
})
