// Questions that a model of code mode asks in a message: the real codex does not wait, and the answer is a message.
import { describe, expect, it } from 'vitest'
import type { Answer, Approver, Question } from '../../src/codex/index.ts'
import {
  functionCall,
  lastUserText,
  type ModelRequest,
  message,
  type Reply,
  shell,
  toolOutputs,
} from '../../src/testing/index.ts'
import { openGate } from '../support/open-gate.ts'

const questions = [{ title: 'Which colour?', options: ['Red', 'Green'] }, { title: 'What name?' }]
const asks = functionCall(
  'request_user_input_async',
  { questions },
  { namespace: 'functions', callId: 'call-1' },
)
const ANSWER: Answer = { answers: { q1: ['Green'], q2: ['Bob'] } }
const TEXT = '> Which colour?\nGreen\n\n> What name?\nBob'

/** The first turn asks, does this, and says so; whatever the user writes later is thanked for. */
function script(meanwhile: Reply = []) {
  const steps = [asks, ...[meanwhile].flat()]
  return (request: ModelRequest): Reply => {
    if (lastUserText(request) !== 'go') return message('thanks')
    return steps[toolOutputs(request).length] ?? message('working on it')
  }
}

function open(
  answer: Answer | Approver | undefined,
  options: Parameters<typeof openGate>[1] = {},
  meanwhile?: Reply,
) {
  return openGate(script(meanwhile), {
    ...options,
    ...(answer !== undefined && { answer }),
    home: { modelName: 'gpt-6-sol' },
  })
}

/** An approver that answers when the test says so. */
function held() {
  const asked = Promise.withResolvers<{ question: Question; signal: AbortSignal }>()
  const given = Promise.withResolvers<Answer>()
  const approve: Approver = (question, { signal }) => {
    asked.resolve({ question, signal })
    return given.promise
  }
  return { approve, asked: asked.promise, answer: given.resolve }
}

type Gate = Awaited<ReturnType<typeof open>>

/** What the user is on record as having written. */
async function written(gate: Gate, threadId: string): Promise<string[]> {
  const { thread } = await gate.codex.request('thread/read', { threadId, includeTurns: true })
  return thread.turns
    .flatMap(({ items }) => items)
    .flatMap((item) => (item.type === 'userMessage' ? item.content : []))
    .map((content) => (content.type === 'text' ? content.text : content.type))
}

describe('a question the model does not wait for', () => {
  it('is put with its options, and is none of the turn’s answers', async () => {
    const gate = await open('deny')
    const { outcome, asked } = await gate.ask()
    expect(outcome).toMatchObject({ status: 'completed', text: 'working on it' })
    expect(asked).toMatchObject([
      {
        kind: 'user-input',
        requestId: null,
        method: null,
        threadId: outcome.threadId,
        turnId: outcome.turnId,
        itemId: 'call-1',
        parent: null,
        title: 'Which colour? (and 1 more)',
        isBlocking: false,
        delivery: 'async',
        questions: [
          { id: 'q1', question: 'Which colour?', isOther: true, isSecret: false },
          { id: 'q2', question: 'What name?', options: null },
        ],
        params: { type: 'agentMessage', delivery: 'async' },
      },
    ])
    expect(asked[0]!.choices.map(({ word }) => word)).toEqual(['deny'])
  })

  it('answered while its turn runs goes into that turn', async () => {
    const { approve, asked, answer } = held()
    const gate = await open(approve, {}, shell('sleep 2'))
    const thread = await gate.startThread()
    const turn = await thread.startTurn('go')
    for await (const { method, params } of turn)
      if (method === 'item/started' && params.item.type === 'commandExecution') {
        await asked
        answer(ANSWER)
      }
    expect(await turn.outcome).toMatchObject({ status: 'completed', text: 'thanks' })
    await thread.whenQuiet()
    expect(await written(gate, thread.id)).toEqual(['go', TEXT])
    expect(gate.decisions).toMatchObject([{ answer: ANSWER, by: 'person' }])
    expect(gate.incidents).toEqual([])
  })

  it('answered after its turn is the next turn, under the same limits', async () => {
    const { approve, asked, answer } = held()
    const gate = await open(approve)
    const thread = await gate.startThread()
    const turns: string[] = []
    thread.onTurn(({ id }) => turns.push(id))
    const outputSchema = { type: 'object', properties: {}, additionalProperties: false }
    const turn = await thread.startTurn('go', { outputSchema })
    await turn.outcome
    const { signal } = await asked
    expect(signal.aborted).toBe(false)
    answer(ANSWER)
    await thread.whenQuiet()
    expect(turns).toHaveLength(2)
    expect(await written(gate, thread.id)).toEqual(['go', TEXT])
    expect(JSON.stringify(gate.model.requests.at(-1)!.body.text)).toContain('additionalProperties')
    expect(gate.incidents).toEqual([])
  })

  it.each<[string, Answer | undefined, object]>([
    ['denied', 'deny', { by: 'person', cause: null }],
    ['put to nobody', undefined, { by: 'default', cause: 'no-approver' }],
  ])('%s sends nothing, and is no incident', async (_, answer, decision) => {
    const gate = await open(answer)
    const { outcome } = await gate.ask()
    expect(await written(gate, outcome.threadId)).toEqual(['go'])
    expect(gate.decisions).toMatchObject([{ answer: 'deny', ...decision }])
    expect(gate.incidents).toEqual([])
  })

  it('answered as it cannot be sends nothing, and says so', async () => {
    const impossible: Answer[] = ['once', { answers: { q3: ['x'] } }, { answers: { q1: [] } }, { result: {} }]
    for (const answer of impossible) {
      const gate = await open(answer)
      const thread = await gate.startThread()
      await gate.ask(thread)
      await thread.whenQuiet()
      expect(gate.incidents).toMatchObject([
        { type: 'request-refused', method: 'item/completed', error: { code: 'bad-answer' } },
      ])
      expect(gate.decisions).toMatchObject([{ answer: 'deny', by: 'default', cause: 'bad-answer' }])
      expect(await written(gate, thread.id)).toEqual(['go'])
    }
  })

  it('can be denied by a rule', async () => {
    const approvals = { rules: [{ id: 'busy', answer: 'deny', kind: 'input', match: {} }] } as const
    const gate = await open(ANSWER, { thread: { approvals } })
    expect((await gate.ask()).asked).toEqual([])
    expect(gate.decisions).toMatchObject([{ answer: 'deny', by: 'rule', rule: 'busy' }])
  })

  it('is withdrawn when the user writes something else', async () => {
    const { approve, asked } = held()
    const gate = await open(approve)
    const thread = await gate.startThread()
    await gate.ask(thread)
    const { signal, question } = await asked
    expect(signal.aborted).toBe(false)
    await (await thread.startTurn('forget it')).outcome
    expect(signal.reason).toMatchObject({
      code: 'request-withdrawn',
      message: 'the user wrote something else',
    })
    await thread.whenQuiet()
    expect(gate.incidents).toMatchObject([{ type: 'question-withdrawn', question, reason: signal.reason }])
    expect(gate.decisions).toMatchObject([{ by: 'default', cause: 'withdrawn' }])
  })

  it('is not withdrawn by the answer to another', async () => {
    const open = new Map<string, (answer: Answer) => void>()
    const signals: AbortSignal[] = []
    const both = Promise.withResolvers<void>()
    const ask = (title: string) =>
      functionCall('request_user_input_async', { questions: [{ title }] }, { namespace: 'functions' })
    const gate = await openGate(
      (request) => {
        if (lastUserText(request) !== 'go') return message('thanks')
        return toolOutputs(request).length === 0 ? [ask('First?'), ask('Second?')] : message('fine')
      },
      {
        home: { modelName: 'gpt-6-sol' },
        answer: ({ title }, { signal }) => {
          signals.push(signal)
          return new Promise((resolve) => {
            open.set(title, resolve)
            if (open.size === 2) both.resolve()
          })
        },
      },
    )
    const thread = await gate.startThread()
    await (await thread.startTurn('go')).outcome
    await both.promise
    const next = new Promise<void>((resolve) => {
      thread.onTurn((turn) => void turn.outcome.then(() => resolve()))
    })
    open.get('Second?')!({ answers: { q1: ['two'] } })
    await next
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false])
    open.get('First?')!({ answers: { q1: ['one'] } })
    await thread.whenQuiet()
    expect(await written(gate, thread.id)).toEqual(['go', '> Second?\ntwo', '> First?\none'])
  })

  it.each<[string, (gate: Gate, threadId: string) => Promise<unknown>, object]>([
    [
      'its thread is left',
      (gate, threadId) => gate.codex.request('thread/unsubscribe', { threadId }),
      { code: 'request-withdrawn' },
    ],
    [
      'its thread is deleted',
      (gate, threadId) => gate.codex.request('thread/delete', { threadId }),
      { code: 'request-withdrawn' },
    ],
    ['the client is closed', (gate) => gate.codex.close(), { code: 'transport-closed' }],
  ])('is withdrawn when %s', async (_, leave, reason) => {
    const { approve, asked } = held()
    const gate = await open(approve)
    const thread = await gate.startThread()
    await gate.ask(thread)
    const { signal } = await asked
    await leave(gate, thread.id)
    await thread.whenQuiet()
    expect(signal.reason).toMatchObject(reason)
    expect(gate.incidents).toMatchObject([{ type: 'question-withdrawn', reason }])
  })

  it('that can no longer be answered says so', async () => {
    const { approve, asked, answer } = held()
    const gate = await open(approve)
    const controller = new AbortController()
    const thread = await gate.startThread()
    await (await thread.startTurn('go', { signal: controller.signal })).outcome
    await asked
    controller.abort(new Error('enough'))
    answer(ANSWER)
    await thread.whenQuiet()
    expect(gate.incidents).toMatchObject([
      { type: 'answer-unsent', question: { itemId: 'call-1' }, error: { message: 'enough' } },
    ])
    expect(await written(gate, thread.id)).toEqual(['go'])
  })
})
