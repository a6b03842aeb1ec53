import { describe, expect, it } from 'vitest'
import { Refusal } from '../wire/index.ts'
import type { Decision } from './decision.ts'
import { type RefusedRequest, ServerRequests, type ServerRequestsOptions } from './server-requests.ts'

const COMMAND = 'item/commandExecution/requestApproval'
const params = { threadId: 'child', turnId: 'child-turn', itemId: 'item', command: 'ls', cwd: '' }
const parent = { threadId: 'thread', turnId: 'turn' }

function setUp(options: Partial<ServerRequestsOptions> = {}) {
  const decisions: Decision[] = []
  const refused: RefusedRequest[] = []
  const requests = new ServerRequests({
    handlers: {},
    onApproval: null,
    approvalTimeoutMs: null,
    onDecision: (decision) => decisions.push(decision),
    onRefused: (incident) => refused.push(incident),
    about: () => ({ parent, cwd: '/work', codexVersion: '0.166.0' }),
    ...options,
  })
  const answer = (method = COMMAND, id = 1, given: unknown = params) =>
    requests.answer({ id, method, params: given, raw: '' })
  return { requests, answer, decisions, refused }
}

describe('a request', () => {
  it('goes to its handler first', async () => {
    const { answer, decisions } = setUp({
      onApproval: () => 'once',
      handlers: {
        [COMMAND]: (_, context) => ({ decision: context.parent === parent ? 'cancel' : 'accept' }),
      },
    })
    expect(await answer()).toEqual({ decision: 'cancel' })
    expect(decisions).toEqual([])
  })

  it('is refused in the very words of a handler that throws a Refusal', async () => {
    const refusal = new Refusal('not now', -32050)
    const { answer, refused } = setUp({ handlers: { [COMMAND]: () => Promise.reject(refusal) } })
    await expect(answer()).rejects.toBe(refusal)
    expect(refused).toEqual([])
  })

  it('goes to the approver as a question, with what the client knows of its thread', async () => {
    const questions: unknown[] = []
    const { answer, decisions, refused } = setUp({
      onApproval: (question) => {
        questions.push(question)
        return 'once'
      },
    })
    expect(await answer()).toEqual({ decision: 'accept' })
    expect(questions).toMatchObject([{ requestId: 1, parent, cwd: '/work', command: 'ls', params }])
    expect(decisions).toMatchObject([{ answer: 'once', question: questions[0] }])
    expect(refused).toEqual([])
  })

  it('that no person answers is not put to the approver', async () => {
    const { answer, refused } = setUp({ onApproval: () => 'once' })
    expect(await answer('item/tool/call', 1, { tool: 'x' })).toMatchObject({ success: false })
    await expect(answer('attestation/generate')).rejects.toBeInstanceOf(Refusal)
    expect(await answer('item/later/requestApproval')).toEqual({ decision: 'decline' })
    expect(refused).toMatchObject([{ error: null }, { error: null }, { error: null }])
  })

  it('that nobody answers is refused and reported', async () => {
    const { answer, refused } = setUp()
    expect(await answer()).toEqual({ decision: 'decline' })
    expect(refused).toEqual([{ type: 'request-refused', method: COMMAND, params, error: null }])
  })

  it('is refused when the approver throws, is late, or gives a bad answer', async () => {
    const failures: [Partial<ServerRequestsOptions>, object][] = [
      [{ onApproval: () => Promise.reject(new Error('no idea')) }, { message: 'no idea' }],
      [{ onApproval: () => 'maybe' as never }, { code: 'bad-answer' }],
      [{ onApproval: () => new Promise(() => {}), approvalTimeoutMs: 5 }, { code: 'approval-timed-out' }],
    ]
    for (const [options, error] of failures) {
      const { answer, refused, decisions } = setUp(options)
      expect(await answer()).toEqual({ decision: 'decline' })
      expect(refused).toMatchObject([{ method: COMMAND, error }])
      expect(decisions).toEqual([])
    }
  })

  it('that is late learns so from its signal', async () => {
    let heard: AbortSignal | undefined
    const { answer } = setUp({
      approvalTimeoutMs: 5,
      onApproval: (_, { signal }) => {
        heard = signal
        return new Promise(() => {})
      },
    })
    await answer()
    expect(heard?.reason).toMatchObject({ code: 'approval-timed-out' })
  })

  it('is answered with codex’s own reply when that is given', async () => {
    const { answer, decisions } = setUp({ onApproval: () => ({ result: { decision: 'accept' } }) })
    expect(await answer()).toEqual({ decision: 'accept' })
    expect(decisions).toMatchObject([{ answer: { result: { decision: 'accept' } } }])
  })

  it('is recorded without secrets', async () => {
    const asked = { threadId: 't', turnId: 'u', itemId: 'i', questions: [{ id: 'token', isSecret: true }] }
    const { answer, decisions } = setUp({ onApproval: () => ({ answers: { token: ['hunter2'] } }) })
    const reply = await answer('item/tool/requestUserInput', 1, asked)
    expect(reply).toEqual({ answers: { token: { answers: ['hunter2'] } } })
    expect(JSON.stringify(decisions)).not.toContain('hunter2')
  })
})

describe('an open question', () => {
  function openQuestion() {
    const asked = Promise.withResolvers<AbortSignal>()
    const set = setUp({
      onApproval: (_, { signal }) => {
        asked.resolve(signal)
        return new Promise(() => {})
      },
    })
    return { ...set, answered: set.answer(), signal: asked.promise }
  }

  it('counts for the turn it is asked for, until it is answered', async () => {
    const { requests, signal, answered } = openQuestion()
    await signal
    expect(requests.isAsking('turn')).toBe(true)
    expect(requests.isAsking('child-turn')).toBe(false)
    requests.withdrawAll(new Error('over'))
    await answered
    expect(requests.isAsking('turn')).toBe(false)
  })

  it.each([
    [
      'codex takes it back',
      { method: 'serverRequest/resolved', params: { threadId: 'child', requestId: 1 } },
    ],
    [
      'its turn ends',
      { method: 'turn/completed', params: { threadId: 'child', turn: { id: 'child-turn' } } },
    ],
  ])('aborts when %s', async (_, notification) => {
    const { requests, signal, answered, decisions } = openQuestion()
    const aborted = await signal
    requests.observe({ method: 'serverRequest/resolved', params: { requestId: 2 } } as never)
    requests.observe({ method: 'turn/completed', params: { turn: { id: 'turn' } } } as never)
    expect(aborted.aborted).toBe(false)
    requests.observe(notification as never)
    expect(aborted.reason).toMatchObject({ code: 'request-withdrawn' })
    expect(await answered).toEqual({ decision: 'decline' })
    expect(decisions).toEqual([])
  })

  it('that is taken back in the same breath is not even put', async () => {
    let asked = 0
    const { requests, answer, refused } = setUp({
      onApproval: () => {
        asked++
        return 'once'
      },
    })
    const answered = answer()
    requests.observe({ method: 'serverRequest/resolved', params: { requestId: 1 } } as never)
    expect(await answered).toEqual({ decision: 'decline' })
    expect(asked).toBe(0)
    expect(refused).toEqual([])
  })

  it('about a file change shows the diff that came with the item', async () => {
    const questions: unknown[] = []
    const { requests, answer } = setUp({
      onApproval: (question) => {
        questions.push(question)
        return 'deny'
      },
    })
    const changes = [{ path: '/a', kind: { type: 'add' }, diff: 'one\n' }]
    const item = { type: 'fileChange', id: 'item', changes }
    requests.observe({
      method: 'item/started',
      params: { threadId: 'child', turnId: 'child-turn', item },
    } as never)
    expect(await answer('item/fileChange/requestApproval')).toEqual({ decision: 'decline' })
    expect(questions).toMatchObject([{ changes }])
  })
})
