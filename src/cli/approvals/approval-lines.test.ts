import { describe, expect, it } from 'vitest'
import { commandQuestion, elicitationQuestion, userInputQuestion } from '../../../test/support/questions.ts'
import type { Approval } from '../../api/index.ts'
import { approvalLines } from './approval-lines.ts'

const MINUTE = 60_000

function shown(question: object, { isExplained = false, proposedRule = null as string | null } = {}) {
  const approval = {
    id: '019c0000-0000-7000-8000-0000aaaa1111',
    question,
    proposedRule,
    createdAt: MINUTE,
    deadlineAt: 10 * MINUTE,
  } as Approval
  const lines = approvalLines(approval, { now: 4 * MINUTE, task: 'task 5f3a91c2 "Tidy up"', isExplained })
  return lines.map(({ text }) => text).join('\n')
}

describe('an open question', () => {
  it('tells which task asks, since when and how long, and how to answer', () => {
    const text = shown(commandQuestion(), { proposedRule: 'allow command touch' })
    expect(text).toContain('  asked 3m ago by task 5f3a91c2 "Tidy up"; the answer will be no in 6m\n')
    expect(text).toContain('  always would mean: allow command touch\n')
    expect(text).toContain('drawbridge approve aaaa1111 [once|session]   or   drawbridge deny aaaa1111')
    expect(text).not.toContain('it runs now')
  })

  it('tells what each word would do, and for how long, when that is wanted', () => {
    const cancel = { word: 'cancel' as const, effect: 'the turn ends', lasts: 'now' as const }
    const question = commandQuestion()
    const text = shown({ ...question, choices: [...question.choices, cancel] }, { isExplained: true })
    expect(text).toContain('  once           it runs now (this one time)\n')
    expect(text).toContain('  session        it runs without asking (for the rest of this task)\n')
    expect(text).toContain('  deny --cancel  the turn ends (this one time)\n')
  })

  it('tells what is to be filled in, by the names that are typed', () => {
    const asked = {
      id: 'colour',
      header: '',
      question: 'Which?',
      isOther: true,
      isSecret: true,
      options: null,
    }
    const text = shown(userInputQuestion([asked]))
    expect(text).toContain('  colour: Which? (secret)\n')
    expect(text).toContain('drawbridge answer aaaa1111 --secret colour   or   ')
    const properties = {
      size: { type: 'string', enum: ['s', 'l'], enumNames: ['small', 'large'] },
      name: { type: 'string', title: 'Your name' },
    }
    const form = shown(elicitationQuestion({ schema: { type: 'object', properties, required: ['name'] } }))
    expect(form).toContain('  name: Your name (required)\n  size: one\n    - s: small\n    - l: large\n')
  })
})
