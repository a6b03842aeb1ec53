import { describe, expect, it } from 'vitest'
import { Refusal } from '../wire/index.ts'
import type { Decision } from './decision.ts'
import { type Deciding, deciderOf } from './fixtures/decider-of.ts'
import type { RequestIncident } from './request-incident.ts'
import { ServerRequests, type ServerRequestsOptions } from './server-requests.ts'

const COMMAND = 'item/commandExecution/requestApproval'
const params = { threadId: 'child', turnId: 'child-turn', itemId: 'item', command: 'ls', cwd: '' }
const parent = { threadId: 'thread', turnId: 'turn' }

type Options = Partial<ServerRequestsOptions & Deciding>

function setUp(options: Options = {}) {
  const decisions: Decision[] = []
  const incidents: RequestIncident[] = []
  const onIncident = (incident: RequestIncident) => void incidents.push(incident)
  const decider = deciderOf({
    onApproval: null,
    approvalTimeoutMs: null,
    ruling: () => null,
    onDecision: (decision) => decisions.push(decision),
    onUnheard: onIncident,
    ...options,
  })
  const requests = new ServerRequests({
    handlers: {},
    decider,
    onIncident,
    about: () => ({ parent, cwd: '/repo', escalation: null, codexVersion: '0.166.0' }),
    opened: async () => {},
    ...options,
  })
  const answer = (method = COMMAND, id = 1, given: unknown = params) =>
    requests.answer({ id, method, params: given, raw: '' })
  return { requests, answer, decisions, incidents }
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
    const { answer, incidents } = setUp({ handlers: { [COMMAND]: () => Promise.reject(refusal) } })
    await expect(answer()).rejects.toBe(refusal)
    expect(incidents).toEqual([])
  })

  it('goes to the approver as a question, with what the client knows of its thread', async () => {
    const questions: unknown[] = []
    const { answer, decisions, incidents } = setUp({
      onApproval: (question) => {
        questions.push(question)
        return 'once'
      },
    })
    expect(await answer()).toEqual({ decision: 'accept' })
    expect(questions).toMatchObject([{ requestId: 1, parent, cwd: '/repo', command: 'ls', params }])
    expect(decisions).toMatchObject([{ answer: 'once', question: questions[0] }])
    expect(incidents).toEqual([])
  })

  it('that no person answers is not put to the approver', async () => {
    const { answer, incidents } = setUp({ onApproval: () => 'once' })
    expect(await answer('item/tool/call', 1, { tool: 'x' })).toMatchObject({ success: false })
    await expect(answer('attestation/generate')).rejects.toBeInstanceOf(Refusal)
    expect(await answer('item/later/requestApproval')).toEqual({ decision: 'decline' })
    expect(incidents).toMatchObject([{ error: null }, { error: null }, { error: null }])
  })

  it('that nobody answers is refused and reported', async () => {
    const { answer, incidents, decisions } = setUp()
    expect(await answer()).toEqual({ decision: 'decline' })
    expect(incidents).toEqual([{ type: 'request-refused', method: COMMAND, params, error: null }])
    expect(decisions).toMatchObject([{ answer: 'deny', by: 'default', cause: 'no-approver' }])
  })

  it('is refused when the approver throws, is late, or gives a bad answer, and recorded as that', async () => {
    const failures: [Options, object, string][] = [
      [{ onApproval: () => Promise.reject(new Error('no idea')) }, { message: 'no idea' }, 'failed'],
      [{ onApproval: () => 'maybe' as never }, { code: 'bad-answer' }, 'bad-answer'],
      [
        { onApproval: () => new Promise(() => {}), approvalTimeoutMs: 5 },
        { code: 'approval-timed-out' },
        'timed-out',
      ],
    ]
    for (const [options, error, cause] of failures) {
      const { answer, incidents, decisions } = setUp(options)
      expect(await answer()).toEqual({ decision: 'decline' })
      expect(incidents).toMatchObject([{ type: 'request-refused', method: COMMAND, error }])
      expect(decisions).toMatchObject([{ answer: 'deny', by: 'default', rule: null, cause }])
      expect(decisions[0]!.why).toBe((incidents[0] as { error: Error }).error.message)
    }
  })

  it('waits until the thread it is about is known', async () => {
    const opening = Promise.withResolvers<void>()
    let cwd = ''
    const questions: unknown[] = []
    const { answer } = setUp({
      opened: () => opening.promise,
      about: () => ({ parent: null, cwd, escalation: null, codexVersion: null }),
      onApproval: (question) => {
        questions.push(question)
        return 'deny'
      },
    })
    const answered = answer()
    await Promise.resolve()
    expect(questions).toEqual([])
    cwd = '/later'
    opening.resolve()
    await answered
    expect(questions).toMatchObject([{ cwd: '/later' }])
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
    const { requests, signal, answered, decisions, incidents } = openQuestion()
    const aborted = await signal
    requests.observe({ method: 'serverRequest/resolved', params: { requestId: 2 } } as never)
    requests.observe({ method: 'turn/completed', params: { turn: { id: 'turn' } } } as never)
    expect(aborted.aborted).toBe(false)
    requests.observe(notification as never)
    expect(aborted.reason).toMatchObject({ code: 'request-withdrawn' })
    expect(await answered).toEqual({ decision: 'decline' })
    const question = { kind: 'command', command: 'ls' }
    expect(incidents).toMatchObject([
      { type: 'question-withdrawn', method: COMMAND, params, question, reason: aborted.reason },
    ])
    const why = aborted.reason.message
    expect(decisions).toMatchObject([{ answer: 'deny', by: 'default', why, cause: 'withdrawn' }])
  })

  it('that another client answered before the end of its turn is told from one that was withdrawn', async () => {
    const own = { ...params, threadId: 'own', turnId: 'turn' }
    const asked = Promise.withResolvers<AbortSignal>()
    const { requests, answer } = setUp({
      onApproval: (_, { signal }) => {
        asked.resolve(signal)
        return new Promise(() => {})
      },
    })
    const answered = answer(COMMAND, 1, own)
    const signal = await asked.promise
    requests.observe({ method: 'serverRequest/resolved', params: { threadId: 'own', requestId: 1 } } as never)
    requests.observe({ method: 'turn/completed', params: { threadId: 'own', turn: { id: 'turn' } } } as never)
    expect(signal.reason).toMatchObject({ code: 'answered-elsewhere' })
    expect(await answered).toEqual({ decision: 'decline' })
  })

  it('of a handler that fails because it was withdrawn is no refusal', async () => {
    const asked = Promise.withResolvers<void>()
    const { requests, answer, incidents } = setUp({
      handlers: {
        [COMMAND]: (_, { signal }) => {
          asked.resolve()
          return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('left'))))
        },
      },
    })
    const answered = answer()
    await asked.promise
    const over = new Error('over')
    requests.withdrawAll(over)
    expect(await answered).toEqual({ decision: 'decline' })
    expect(incidents).toEqual([
      { type: 'question-withdrawn', method: COMMAND, params, question: null, reason: over },
    ])
  })

  it('that is taken back in the same breath is not even put', async () => {
    let asked = 0
    const { requests, answer, incidents } = setUp({
      onApproval: () => {
        asked++
        return 'once'
      },
    })
    const answered = answer()
    requests.observe({ method: 'serverRequest/resolved', params: { requestId: 1 } } as never)
    expect(await answered).toEqual({ decision: 'decline' })
    expect(asked).toBe(0)
    expect(incidents).toEqual([])
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

describe('a question about an MCP tool', () => {
  const from = { threadId: 'child', turnId: 'child-turn', serverName: 'asker' }
  const marked = {
    ...from,
    mode: 'form',
    _meta: { codex_approval_kind: 'mcp_tool_call' },
    message: 'Allow the asker MCP server to run tool "danger"?',
    requestedSchema: { type: 'object', properties: {} },
  }

  it('is asked once for each call: what its server asks later under that name is a form', async () => {
    const kinds: string[] = []
    const { requests, answer } = setUp({
      onApproval: ({ kind, itemId }) => {
        kinds.push(`${kind} ${itemId}`)
        return 'once'
      },
    })
    const item = { type: 'mcpToolCall', id: 'call', server: 'asker', tool: 'danger', arguments: {} }
    requests.observe({ method: 'item/started', params: { ...from, item } } as never)
    const elicit = (id: number) => answer('mcpServer/elicitation/request', id, marked)
    expect(await elicit(1)).toEqual({ action: 'accept', content: null, _meta: null })
    expect(await elicit(2)).toEqual({ action: 'accept', content: {}, _meta: null })
    expect(await elicit(1)).toEqual({ action: 'accept', content: null, _meta: null })
    expect(kinds).toEqual(['mcp-tool call', 'elicitation null', 'mcp-tool call'])
  })
})
