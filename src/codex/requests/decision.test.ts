import { describe, expect, it } from 'vitest'
import { decision, keptDecision } from './decision.ts'
import { facts, PLACE } from './fixtures/facts.ts'
import { permissions } from './permissions.ts'
import type { Answer, Question } from './question.ts'
import { userInput } from './user-input.ts'

const one = { header: 'H', question: 'Q?', isOther: false, options: null }
function question(isSecret: boolean): Question {
  const questions = [
    { ...one, id: 'open', isSecret: false },
    { ...one, id: 'token', isSecret },
  ]
  return userInput.ask!({ ...PLACE, questions, isBlocking: true, autoResolutionMs: null }, facts())
}
const kept = (answer: Answer, isSecret = true) => keptDecision(decision(question(isSecret), answer)).answer

describe('a decision', () => {
  it('is a person’s unless it says otherwise', () => {
    expect(decision(question(false), 'deny')).toMatchObject({
      answer: 'deny',
      by: 'person',
      rule: null,
      why: null,
      at: expect.any(Date),
    })
    const decided = { answer: 'deny', by: 'rule', rule: 'r1', why: 'house rule' } as const
    expect(decision(question(false), decided)).toMatchObject(decided)
  })

  it('is kept without what was given to secret questions', () => {
    const answers = { open: ['a'], token: ['hunter2', 'hunter3'] }
    expect(kept({ answers })).toEqual({ answers: { open: ['a'], token: ['(secret)'] } })
    expect(kept({ answers }, false)).toEqual({ answers })
    expect(kept('deny')).toBe('deny')
  })

  it('in codex’s own words is not kept at all where a question is secret', () => {
    const result = { answers: { token: { answers: ['hunter2'] } } }
    expect(kept({ result })).toEqual({ result: '(secret)' })
    expect(kept({ result }, false)).toEqual({ result })
  })

  it('about anything else is kept as it is', () => {
    const asked = { ...PLACE, cwd: '/w', reason: null, permissions: { network: null, fileSystem: null } }
    const made = decision(permissions.ask!(asked as never, facts()), { permissions: {}, scope: 'turn' })
    expect(keptDecision(made)).toEqual(made)
  })
})
