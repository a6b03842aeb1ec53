// The real codex's model asks the user: with options, several at once, secrets.
import { describe, expect, it } from 'vitest'
import type { Answer } from '../../src/codex/index.ts'
import { functionCall } from '../../src/testing/index.ts'
import { openGate } from '../support/open-gate.ts'

const USER_INPUT = 'item/tool/requestUserInput'
const options = [
  { label: 'Yes', description: 'go' },
  { label: 'No', description: 'stay' },
]
const questions = [
  { id: 'go', header: 'Go', question: 'Shall we?', options },
  { id: 'token', header: 'Token', question: 'Which token?', is_secret: true, isSecret: true, options },
]

async function asked(answer: Answer | undefined) {
  const gate = await openGate(functionCall('request_user_input', { questions }, { callId: 'call-1' }), {
    ...(answer !== undefined && { answer }),
    thread: { config: { 'features.default_mode_request_user_input': true } },
  })
  const turn = await gate.ask()
  expect(turn.outcome).toMatchObject({ status: 'completed', text: 'fine' })
  return { ...gate, turn, told: JSON.parse(turn.told[0]!.text) }
}

describe('a question of the model', () => {
  it('is shown with all its questions, and its answers reach the model as they were given', async () => {
    const { turn, told, exchanges } = await asked({
      answers: { go: ['Yes', 'but slowly'], token: ['hunter2'] },
    })
    expect(turn.asked).toMatchObject([
      {
        kind: 'user-input',
        method: USER_INPUT,
        threadId: turn.outcome.threadId,
        turnId: turn.outcome.turnId,
        itemId: 'call-1',
        title: 'Shall we? (and 1 more)',
        isBlocking: false,
        delivery: 'request',
        questions: [
          { id: 'go', header: 'Go', question: 'Shall we?', isOther: true, isSecret: false, options },
          { id: 'token', isSecret: true },
        ],
        params: exchanges[0]!.params,
      },
    ])
    expect(turn.asked[0]!.choices.map(({ word }) => word)).toEqual(['deny'])
    expect(told).toEqual({
      answers: { go: { answers: ['Yes', 'but slowly'] }, token: { answers: ['hunter2'] } },
    })
  })

  it('may be answered in part', async () => {
    const { told } = await asked({ answers: { go: ['No'] } })
    expect(told).toEqual({ answers: { go: { answers: ['No'] } } })
  })

  it('is recorded without what was given to secret questions', async () => {
    const { decisions } = await asked({ answers: { go: ['Yes'], token: ['hunter2'] } })
    expect(decisions).toMatchObject([{ answer: { answers: { go: ['Yes'], token: ['(secret)'] } } }])
    const raw = await asked({ result: { answers: { token: { answers: ['hunter2'] } } } })
    expect(raw.told).toEqual({ answers: { token: { answers: ['hunter2'] } } })
    expect(JSON.stringify([decisions, raw.decisions])).not.toContain('hunter2')
  })

  it('that is put to nobody gets no answers, and the turn goes on', async () => {
    const nobody = await asked(undefined)
    expect(nobody.told).toEqual({ answers: {} })
    expect(nobody.incidents).toMatchObject([{ type: 'request-refused', method: USER_INPUT, error: null }])
  })

  it('denied, or answered as it cannot be, gets no answers either', async () => {
    const gate = await asked('deny')
    expect(gate.told).toEqual({ answers: {} })
    expect(gate.decisions).toMatchObject([{ answer: 'deny' }])
    const impossible: Answer[] = [
      'once',
      'cancel',
      { content: { go: 'Yes' } },
      { answers: { went: ['Yes'] } },
      { answers: { go: 'Yes' as never } },
    ]
    for (const answer of impossible) {
      gate.answerWith(answer)
      const { outcome, told } = await gate.ask()
      expect(outcome).toMatchObject({ status: 'completed', text: 'fine' })
      expect(told).toMatchObject([{ text: '{"answers":{}}' }])
    }
    expect(gate.incidents).toMatchObject(impossible.map(() => ({ error: { code: 'bad-answer' } })))
    const causes = [null, ...impossible.map(() => 'bad-answer')]
    expect(gate.decisions).toMatchObject(causes.map((cause) => ({ answer: 'deny', cause })))
  })
})
