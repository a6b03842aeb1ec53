import { describe, expect, it } from 'vitest'
import type { CodexNotification } from '../protocol/index.ts'
import { SubAgents } from './sub-agents.ts'

const spawned = (threadId: string, turnId: string, ...receiverThreadIds: string[]) =>
  ({
    method: 'item/completed',
    params: { threadId, turnId, item: { type: 'collabAgentToolCall', receiverThreadIds } },
  }) as unknown as CodexNotification
const note = (threadId: string, index = 0) => ({ method: 'warning', params: { threadId, index } }) as never

const nobodys = () => false

describe('SubAgents', () => {
  it('gives back what came before the parent was known, in order', () => {
    const agents = new SubAgents()
    agents.keep('child', note('child', 1))
    agents.keep('other', note('other'))
    agents.keep('child', note('child', 2))
    expect(agents.parentOf('child')).toBeNull()
    expect(agents.claim(spawned('root', 'turn', 'child'), nobodys)).toEqual([
      note('child', 1),
      note('child', 2),
    ])
    expect(agents.parentOf('child')).toEqual({ threadId: 'root', turnId: 'turn' })
    expect(agents.claim(spawned('root', 'turn', 'child'), nobodys)).toEqual([])
  })

  it('attributes a sub-agent of a sub-agent to our own turn', () => {
    const agents = new SubAgents()
    agents.claim(spawned('root', 'turn', 'child'), nobodys)
    agents.claim(spawned('child', 'childs-turn', 'grandchild'), nobodys)
    expect(agents.parentOf('grandchild')).toEqual({ threadId: 'root', turnId: 'turn' })
  })

  it('follows a sub-agent that a later turn asks again', () => {
    const agents = new SubAgents()
    agents.claim(spawned('root', 'turn-1', 'child'), nobodys)
    agents.claim(spawned('root', 'turn-2', 'child'), nobodys)
    expect(agents.parentOf('child')).toEqual({ threadId: 'root', turnId: 'turn-2' })
  })

  it('keeps a bounded number of strays, and takes any item', () => {
    const agents = new SubAgents()
    for (let index = 0; index < 1_000; index++) agents.keep('stray', note('stray', index))
    expect(agents.claim(spawned('root', 'turn', 'stray'), nobodys)).toHaveLength(256)
    for (const item of [null, undefined, 7, {}, { type: 'collabAgentToolCall', receiverThreadIds: 'x' }])
      expect(
        agents.claim(
          { method: 'item/started', params: { threadId: 'a', turnId: 'b', item } } as never,
          nobodys,
        ),
      ).toEqual([])
  })

  it('keeps the newest strays, and none of what every client hears', () => {
    const agents = new SubAgents()
    for (let index = 0; index < 1_000; index++) agents.keep('other', note('other', index))
    agents.keep('child', note('child'))
    agents.keep('child', { method: 'thread/status/changed', params: { threadId: 'child' } } as never)
    expect(agents.take('child')).toEqual([note('child')])
    expect(agents.take('child')).toEqual([])
  })

  it('does not let a sub-agent claim a thread of ours', () => {
    const agents = new SubAgents()
    agents.claim(spawned('child', 'turn', 'root'), (id) => id === 'root')
    expect(agents.parentOf('root')).toBeNull()
  })
})
