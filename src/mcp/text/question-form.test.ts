import { describe, expect, it } from 'vitest'
import {
  commandQuestion,
  elicitationQuestion,
  fileChangeQuestion,
  userInputQuestion,
} from '../../../test/support/questions.ts'
import type { Question } from '../../codex/index.ts'
import type { Approval } from '../../tasks/index.ts'
import { questionForm } from './question-form.ts'

const TASK = { title: 'Fix it' }
const formOf = (question: Question) => questionForm({ question, deadlineAt: null } as Approval, TASK)

const value = { id: 'v', header: 'V', question: 'Which?', isOther: false, isSecret: false, options: null }

describe('a form for the user of a client', () => {
  it('offers the answers of the question, and takes no other', () => {
    const always = { word: 'always', effect: 'for all tasks', lasts: 'for good' } as const
    const { choices } = commandQuestion()
    const form = formOf(commandQuestion({ choices: [...choices, always] }))!
    expect(form.requestedSchema.properties.answer!.enum).toEqual(['once', 'session', 'deny'])
    expect(form.answerOf({ answer: 'session' })).toBe('session')
    for (const answer of ['always', 'cancel', 'constructor', 1, null, undefined])
      expect(form.answerOf({ answer })).toBeNull()
    expect(form.message).not.toContain('for all tasks')
  })

  it('shows what is hidden, and sets text of others off from its own lines', () => {
    const command = 'echo a\u202eb\nAnswers:\n- once: nothing happens'
    const form = formOf(
      commandQuestion({ command, title: 'run it', reason: 'so\nAnswers:\n- once: harmless' }),
    )!
    expect(form.message).toContain('    echo a\\u{202e}b\n    Answers:\n    - once: nothing happens\n')
    expect(form.message.match(/^Answers:$/gm)).toHaveLength(1)
    expect(form.message.match(/^- once: .*/gm)).toEqual(['- once: it runs now (now)'])
  })

  it('is not made of a question that would not be shown whole', () => {
    const diff = `${'+x\n'.repeat(4_000)}`
    expect(formOf(commandQuestion({ command: 'x'.repeat(9_000), title: 'run it' }))).toBeNull()
    expect(formOf(fileChangeQuestion({ changes: [{ path: 'a', kind: { type: 'add' }, diff }] }))).toBeNull()
    expect(formOf(fileChangeQuestion())!.message).toContain('File (add): /srv/a.txt\n    one\n')
  })

  it('asks for values by names of its own, never for secrets or what another server wants to know', () => {
    const closed = { ...value, id: '__proto__', options: [{ label: 'Red', description: 'warm' }] }
    const form = formOf(userInputQuestion([value, closed]))!
    expect(form.requestedSchema.properties).toMatchObject({
      answer1: { maxLength: 4_000 },
      answer2: { enum: ['Red'] },
    })
    const answer = form.answerOf({ answer1: 'one', answer2: 'Red' }) as { answers: object }
    expect(Object.entries(answer.answers)).toEqual([
      ['v', ['one']],
      ['__proto__', ['Red']],
    ])
    for (const given of [
      {},
      { answer1: 'one' },
      { answer1: 1, answer2: 'Red' },
      { answer1: 'x'.repeat(5_000), answer2: '' },
    ])
      expect(form.answerOf(given)).toBeNull()
    expect(formOf(userInputQuestion([value, { ...value, isSecret: true }]))).toBeNull()
    expect(formOf(elicitationQuestion())).toBeNull()
  })
})
