import { describe, expect, it } from 'vitest'
import type { protocol } from '../../codex/index.ts'
import { knownKey, missedEvents, turnWithMessage } from './history.ts'

type Turn = protocol.v2.Turn

const user = (id: string, text: string, clientId?: string) => ({
  type: 'userMessage',
  id,
  content: [{ type: 'text', text, text_elements: [] }],
  ...(clientId !== undefined && { clientId }),
})
const agent = (id: string, text: string) => ({ type: 'agentMessage', id, text })
const command = (id: string, status: string) => ({ type: 'commandExecution', id, status })

function turn(id: string, status: string, ...items: object[]): Turn {
  return { id, status, items, error: null } as unknown as Turn
}

function missed(seen: Turn, ...known: string[]) {
  const events = missedEvents(seen, { threadId: 'th', known: new Set(known) })
  return events.map(({ method, itemId, turnId }) => [method, itemId ?? turnId])
}

describe('what was missed', () => {
  const ended = turn('t1', 'completed', user('u', 'go'), command('c', 'completed'), agent('a', 'done'))

  it('of a turn that has ended is every item the log does not have, and the end', () => {
    expect(missed(ended)).toEqual([
      ['item/completed', 'u'],
      ['item/completed', 'c'],
      ['item/completed', 'a'],
      ['turn/completed', 't1'],
    ])
    expect(missed(ended, 'u', 'c')).toEqual([
      ['item/completed', 'a'],
      ['turn/completed', 't1'],
    ])
    expect(missed(ended, 'u', 'c', 'a', 't1')).toEqual([])
  })

  it('of a turn that runs is what has completed, not what is under way, and no end', () => {
    const running = turn(
      't1',
      'inProgress',
      user('u', 'go'),
      command('c', 'inProgress'),
      command('d', 'failed'),
    )
    expect(missed(running, 'u')).toEqual([['item/completed', 'd']])
  })

  it('is known by its text where ids in history are others', () => {
    expect(missed(turn('t1', 'completed', agent('item-1', 'done')), 'agentMessage done', 't1')).toEqual([])
    expect(knownKey(agent('a', 'done'))).toEqual(['a', 'agentMessage done'])
    expect(knownKey({ type: 'commandExecution' })).toEqual([])
  })

  it('is marked as recovered, keeps the thread and turn, and has no secrets', () => {
    const secret = 'sk-proj-Zx81kQ0vN5tYpLw3mB7rDfGhJ2cVbXs94TuEaRiO'
    const [event, end] = missedEvents(turn('t1', 'completed', agent('a', `it is ${secret}`)), {
      threadId: 'th',
      known: new Set(),
    })
    expect(JSON.parse(event!.raw)).toMatchObject({
      method: 'item/completed',
      recovered: true,
      params: { threadId: 'th', turnId: 't1', item: { id: 'a', type: 'agentMessage' } },
    })
    expect(event!.raw).not.toContain(secret)
    expect(JSON.parse(end!.raw).params.turn).toMatchObject({ id: 't1', items: [], status: 'completed' })
    expect(event!.isDelta || end!.isDelta).toBe(false)
  })

  it('of a turn whose items are not told is only its end', () => {
    expect(missed({ ...turn('t1', 'interrupted'), items: undefined } as never)).toEqual([
      ['turn/completed', 't1'],
    ])
  })
})

describe('the turn that took in a message', () => {
  it('is found by the id the message was sent with', () => {
    const turns = [
      turn('t2', 'completed', user('u2', 'go', 'm2')),
      turn('t1', 'completed', user('u1', 'go', 'm1')),
    ]
    expect(turnWithMessage(turns, { id: 'm1', text: 'go' })?.id).toBe('t1')
    expect(turnWithMessage(turns, { id: 'm3', text: 'go' })).toBeNull()
  })

  it('is found by its text where codex does not tell ids', () => {
    const turns = [turn('t1', 'completed', user('u1', 'go'))]
    expect(turnWithMessage(turns, { id: 'm1', text: 'go' })?.id).toBe('t1')
    expect(turnWithMessage(turns, { id: 'm1', text: 'stop' })).toBeNull()
  })
})
