import { describe, expect, it } from 'vitest'
import { AsyncQuestions } from './async-questions.ts'
import { type Deciding, deciderOf } from './fixtures/decider-of.ts'
import type { Answer } from './question.ts'
import type { RequestIncident } from './request-incident.ts'

const place = { threadId: 'thread', turnId: 'turn' }
const completed = (item: object, threadId = 'thread') =>
  ({ method: 'item/completed', params: { ...place, threadId, item } }) as never
const asks = { type: 'agentMessage', id: 'item', delivery: 'async', questions: [{ title: 'Name?' }] }
const wrote = (clientId: string | null) => ({ type: 'userMessage', id: 'user', clientId, content: [] })
const BOB: Answer = { answers: { q1: ['Bob'] } }

function setUp(options: Partial<Deciding> = {}) {
  const incidents: RequestIncident[] = []
  const sent: [string, string][] = []
  const settled: Promise<void>[] = []
  const given = Promise.withResolvers<Answer>()
  let signal: AbortSignal | undefined
  const onIncident = (incident: RequestIncident) => void incidents.push(incident)
  const decider = deciderOf({
    onApproval: (_, context) => {
      signal = context.signal
      return given.promise
    },
    approvalTimeoutMs: null,
    ruling: () => null,
    onDecision: () => {},
    onUnheard: onIncident,
    ...options,
  })
  const thread = {
    async answer(text: string, { clientMessageId }: { clientMessageId: string }) {
      sent.push([clientMessageId, text])
      if (text.includes('unheard')) throw new Error('no way')
    },
    awaitAnswer: (promise: Promise<void>) => void settled.push(promise),
  }
  const threadOf = (threadId: string) => (threadId === 'thread' ? thread : null)
  const open = new AsyncQuestions({ decider, threadOf, onIncident })
  const asked = async () => {
    open.observe(completed(asks))
    await Promise.resolve()
    await Promise.resolve()
  }
  const over = () => Promise.all(settled)
  return { open, asked, over, incidents, sent, answer: given.resolve, signal: () => signal }
}

describe('an open question', () => {
  it('is answered by a message to its thread', async () => {
    const { asked, answer, over, sent, incidents } = setUp()
    await asked()
    answer(BOB)
    await over()
    expect(sent).toEqual([['answer to item', '> Name?\nBob']])
    expect(incidents).toEqual([])
  })

  it('of a thread that is not open here is nobody’s', async () => {
    const { open, signal } = setUp()
    open.observe(completed(asks, 'elsewhere'))
    await Promise.resolve()
    expect(signal()).toBeUndefined()
  })

  it.each<[string, object, string]>([
    ['another message of the user', completed(wrote(null)), 'the user wrote something else'],
    ['a message under an id of somebody else', completed(wrote('mine')), 'the user wrote something else'],
    ['the end of its thread', { method: 'thread/closed', params: place }, 'its thread was closed'],
    ['its deletion', { method: 'thread/deleted', params: place }, 'its thread was closed'],
    ['its archiving', { method: 'thread/archived', params: place }, 'its thread was closed'],
  ])('is withdrawn by %s', async (_, notification, why) => {
    const { open, asked, over, sent, incidents, signal } = setUp()
    await asked()
    open.observe(notification as never)
    await over()
    expect(signal()!.reason).toMatchObject({ code: 'request-withdrawn', message: why })
    expect(incidents).toMatchObject([{ type: 'question-withdrawn', question: { itemId: 'item' } }])
    expect(sent).toEqual([])
  })

  it('stands through the end of its turn, answers to others, and what happens elsewhere', async () => {
    const { open, asked, signal } = setUp()
    await asked()
    open.observe({ method: 'turn/completed', params: { ...place, turn: { id: 'turn' } } } as never)
    open.observe(completed(wrote('answer to another')))
    open.observe(completed(wrote(null), 'elsewhere'))
    open.observe({ method: 'thread/closed', params: { threadId: 'elsewhere' } } as never)
    expect(signal()!.aborted).toBe(false)
    const gone = new Error('gone')
    open.withdrawAll(gone)
    expect(signal()!.reason).toBe(gone)
  })

  it('that is denied, or put to nobody, sends nothing and is no incident', async () => {
    const options: Partial<Deciding>[] = [{ onApproval: () => 'deny' }, { onApproval: null }]
    for (const option of options) {
      const { asked, over, sent, incidents } = setUp(option)
      await asked()
      await over()
      expect(sent).toEqual([])
      expect(incidents).toEqual([])
    }
  })

  it('that is answered badly sends nothing and says so', async () => {
    for (const answer of ['once', { answers: {} }, { answers: { q2: ['x'] } }] as Answer[]) {
      const { asked, over, sent, incidents } = setUp({ onApproval: () => answer })
      await asked()
      await over()
      expect(sent).toEqual([])
      expect(incidents).toMatchObject([
        { type: 'request-refused', method: 'item/completed', params: asks, error: { code: 'bad-answer' } },
      ])
    }
  })

  it('whose answer cannot be sent says so', async () => {
    const { asked, over, incidents } = setUp({ onApproval: () => ({ answers: { q1: ['unheard'] } }) })
    await asked()
    await over()
    expect(incidents).toMatchObject([{ type: 'answer-unsent', error: { message: 'no way' } }])
  })
})
