import { describe, expect, it } from 'vitest'
import { commandQuestion, elicitationQuestion, userInputQuestion } from '../../../test/support/questions.ts'
import type { Choice } from '../../codex/index.ts'
import { answerCommand, howToAnswer, needsValues } from './answer-command.ts'

const DENY: Choice = { word: 'deny', effect: 'no', lasts: 'now' }
const ONCE: Choice = { word: 'once', effect: 'yes', lasts: 'now' }

function asking(...ids: string[]) {
  const more = { header: '', question: '?', isOther: false, isSecret: false, options: null }
  return userInputQuestion(ids.map((id) => ({ id, ...more })))
}

function form(properties: object, required: readonly string[] = []) {
  const schema = { type: 'object', properties, required }
  return elicitationQuestion({ schema, choices: required.length > 0 ? [DENY] : [ONCE, DENY] })
}

describe('how a question is answered', () => {
  it('that wants leave: with the words it knows', () => {
    expect(howToAnswer('1a2b3c4d', commandQuestion())).toBe(
      'drawbridge approve 1a2b3c4d [once|session]   or   drawbridge deny 1a2b3c4d',
    )
    expect(needsValues(commandQuestion())).toBe(false)
  })

  it('that wants values: with the names of what is asked', () => {
    expect(answerCommand('x', asking('colour', 'size'))).toBe(
      'drawbridge answer x --value colour=… --value size=…',
    )
    expect(answerCommand('x', form({ age: {}, name: {} }, ['name']))).toBe(
      'drawbridge answer x --value name=… --value age=…',
    )
    expect(needsValues(asking('colour'))).toBe(true)
    expect(needsValues(form({ name: {} }, ['name']))).toBe(true)
    expect(needsValues(form({ name: {} }))).toBe(false)
  })

  it('that wants a secret: without it on the command line', () => {
    const secret = { header: '', question: '?', isOther: false, isSecret: true, options: null }
    expect(answerCommand('x', userInputQuestion([{ id: 'token', ...secret }]))).toBe(
      'drawbridge answer x --secret token',
    )
  })

  it('that wants a page to be visited, or nothing but a no', () => {
    expect(answerCommand('x', elicitationQuestion({ url: 'https://x.test', choices: [ONCE, DENY] }))).toBe(
      'drawbridge approve x',
    )
    expect(howToAnswer('x', elicitationQuestion({ choices: [DENY] }))).toBe('drawbridge deny x')
  })

  it('is one word for a shell, whatever the model called it', () => {
    expect(answerCommand('x', asking('a; rm -rf ~'))).toBe("drawbridge answer x --value 'a; rm -rf ~=…'")
    expect(answerCommand('x', asking("it's $(id)\n\u202e"))).toBe(
      "drawbridge answer x --value 'it'\\''s $(id) ⏎ \\u{202e}=…'",
    )
  })
})
