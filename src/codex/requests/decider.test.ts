import { describe, expect, it } from 'vitest'
import { commandQuestion } from '../../../test/support/questions.ts'
import type { Decision as RuleDecision } from '../rules/index.ts'
import type { DecisionUnheard } from './decider.ts'
import type { Decision } from './decision.ts'
import { type Deciding, deciderOf } from './fixtures/decider-of.ts'
import type { Answer } from './question.ts'

const question = commandQuestion()

function ruling(answer: RuleDecision['answer']): RuleDecision {
  return {
    answer,
    rule: { id: 'house rule' } as RuleDecision['rule'],
    why: 'it says so',
    parts: [],
    sandbox: null,
  }
}

function setUp(options: Partial<Deciding>) {
  const decisions: Decision[] = []
  const unheard: DecisionUnheard[] = []
  const decider = deciderOf({
    onApproval: null,
    approvalTimeoutMs: null,
    ruling: () => null,
    onDecision: (decision) => void decisions.push(decision),
    onUnheard: (incident) => unheard.push(incident),
    ...options,
  })
  const decide = (signal = new AbortController().signal) =>
    decider.decide(question, { signal, apply: (answer: Answer) => answer })
  return { decide, decisions, unheard }
}

describe('who decides', () => {
  it('is a rule, before anybody is asked, also when nobody could be', async () => {
    let asked = 0
    const onApproval = () => {
      asked++
      return 'session' as const
    }
    for (const [word, answer] of [
      ['allow', 'once'],
      ['deny', 'deny'],
    ] as const)
      for (const approver of [onApproval, null]) {
        const { decide, decisions } = setUp({ ruling: () => ruling(word), onApproval: approver })
        expect(await decide()).toBe(answer)
        expect(decisions).toMatchObject([
          { question, answer, by: 'rule', rule: 'house rule', why: 'it says so', cause: null },
        ])
      }
    expect(asked).toBe(0)
  })

  it('is the approver where the rules ask, and it hears what they said', async () => {
    const heard: unknown[] = []
    const onApproval: Deciding['onApproval'] = (_, context) => {
      heard.push(context.ruling)
      return 'session'
    }
    const asked = ruling('ask')
    const { decide, decisions } = setUp({ ruling: () => asked, onApproval })
    expect(await decide()).toBe('session')
    expect(decisions).toMatchObject([{ answer: 'session', by: 'person', rule: null, cause: null }])
    await setUp({ onApproval }).decide()
    expect(heard).toEqual([asked, null])
  })

  it('is nobody: it rejects, and no is on record', async () => {
    const { decide, decisions } = setUp({})
    await expect(decide()).rejects.toMatchObject({ code: 'no-approver' })
    expect(decisions).toMatchObject([
      { answer: 'deny', by: 'default', why: 'nobody is there to answer', cause: 'no-approver' },
    ])
  })

  it('is nobody when rules cannot be judged', async () => {
    const broken = new Error('no file system')
    const { decide, decisions } = setUp({
      onApproval: () => 'once',
      ruling: () => {
        throw broken
      },
    })
    await expect(decide()).rejects.toBe(broken)
    expect(decisions).toMatchObject([{ answer: 'deny', cause: 'failed', why: 'no file system' }])
  })

  it('is nobody when the question is withdrawn meanwhile', async () => {
    const controller = new AbortController()
    const { decide, decisions } = setUp({ onApproval: () => new Promise(() => {}) })
    const decided = decide(controller.signal)
    controller.abort(new Error('its turn has ended'))
    await expect(decided).rejects.toThrow('its turn has ended')
    expect(decisions).toMatchObject([{ answer: 'deny', cause: 'withdrawn', why: 'its turn has ended' }])
  })
})

describe('a listener of decisions', () => {
  it.each([
    ['throws', () => Promise.reject(new Error('disk full'))],
    [
      'throws at once',
      () => {
        throw new Error('disk full')
      },
    ],
  ])('that %s changes no answer, and is reported', async (_, onDecision) => {
    const { decide, unheard } = setUp({ onApproval: () => 'once', onDecision: onDecision as () => void })
    expect(await decide()).toBe('once')
    await Promise.resolve()
    const error = expect.objectContaining({ message: 'disk full' })
    expect(unheard).toMatchObject([{ type: 'decision-unheard', decision: { answer: 'once' }, error }])
  })
})
