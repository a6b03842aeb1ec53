import { describe, expect, it } from 'vitest'
import {
  commandQuestion,
  elicitationQuestion,
  fileChangeQuestion,
  permissionsQuestion,
  userInputQuestion,
} from '../../../test/support/questions.ts'
import type { Question } from '../../codex/index.ts'
import type { Key, Pressed, Prompt } from './prompt.ts'
import { promptFor } from './prompt-for.ts'

const ROOM = { columns: 80, rows: 20 }
const NAMES: Readonly<Record<string, string>> = { '\r': 'return', '\b': 'backspace', '\u001b': 'escape' }

function press(prompt: Prompt, keys: string): Pressed {
  const pressed = [...keys].map((text): Key => ({ text, name: NAMES[text] ?? text, isCtrl: false }))
  return pressed.map((key) => prompt.press(key)).at(-1) ?? null
}

function shown(prompt: Prompt, room = ROOM): string {
  return [...prompt.lines(room), ...prompt.entry()].map(({ text }) => text).join('\n')
}

describe('a prompt for a choice', () => {
  it('offers what the question offers, and nothing else', () => {
    const prompt = promptFor(commandQuestion())
    expect(shown(prompt)).toContain('  [o] once  [s] session  [d] deny  [?] what these do ')
    for (const key of ['a', 'c', 'v', 'O', 'y', '\r', '\u001b', '']) expect(press(prompt, key)).toBeNull()
    expect(press(prompt, 's')).toEqual({ answer: 'session' })
  })

  it('explains and stops explaining', () => {
    const prompt = promptFor(commandQuestion())
    press(prompt, '?')
    expect(shown(prompt)).toContain('  s  session: it runs without asking (for the rest of this task)')
    press(prompt, '?')
    expect(shown(prompt)).not.toContain('(for the rest')
  })

  it('cuts what does not fit, with a count, and prints all of it on demand', () => {
    const diff = Array.from({ length: 100 }, (_, index) => `line ${index}`).join('\n')
    const question = fileChangeQuestion({ changes: [{ path: '/a', kind: { type: 'add' }, diff }] })
    const prompt = promptFor(question)
    const lines = prompt.lines({ columns: 80, rows: 10 })
    expect(lines).toHaveLength(10)
    expect(lines.at(-1)?.text).toBe('  … 94 more lines; press v to see all before you allow it')
    expect(press(prompt, 'v')).toMatchObject({ print: { length: 103 } })
  })

  it('is not allowed before all of it was on the screen; it is denied at once', () => {
    const diff = Array.from({ length: 100 }, (_, index) => `line ${index}`).join('\n')
    const open = () =>
      promptFor(fileChangeQuestion({ changes: [{ path: '/a', kind: { type: 'add' }, diff }] }))
    const small = { columns: 80, rows: 10 }
    const prompt = open()
    expect(shown(prompt, small)).toContain('  [d] deny  [v] view all  [?] what these do')
    for (const key of ['o', 's']) expect(press(prompt, key)).toBeNull()
    expect(press(prompt, 'd')).toEqual({ answer: 'deny' })
    press(prompt, 'v')
    expect(shown(prompt, small)).toContain('… 94 more lines; printed above')
    expect(press(prompt, 'o')).toEqual({ answer: 'once' })
    const large = open()
    expect(shown(large, { columns: 80, rows: 200 })).toContain('[o] once')
    expect(press(large, 'o')).toEqual({ answer: 'once' })
  })

  it('shows the beginning of a line that is longer than the screen', () => {
    const prompt = promptFor(commandQuestion({ command: `begin ${'x'.repeat(5_000)}` }))
    expect(shown(prompt)).toContain('$ begin xxx')
    expect(prompt.lines(ROOM)).toHaveLength(ROOM.rows)
  })

  it('asks whether a page was visited', () => {
    const prompt = promptFor(elicitationQuestion({ url: 'https://example.com' }))
    expect(shown(prompt)).toContain('[o] yes, I visited it')
    expect(press(prompt, 'o')).toEqual({ answer: 'once' })
  })
})

const input = (more: object) => ({
  id: 'a',
  header: '',
  question: 'Which?',
  isOther: false,
  isSecret: false,
  options: null,
  ...more,
})
const options = [
  { label: 'One', description: 'first' },
  { label: 'Two', description: '' },
]

describe('a prompt for values', () => {
  it.each<[string, object, string, unknown]>([
    ['text', {}, 'as you like\r', { answers: { a: ['as you like'] } }],
    ['an option by number', { options }, '2\r', { answers: { a: ['Two'] } }],
    ['an option by name', { options }, 'One\r', { answers: { a: ['One'] } }],
    ['own words, where allowed', { options, isOther: true }, 'Three\r', { answers: { a: ['Three'] } }],
    ['nothing', {}, '\r', 'deny'],
    ['Esc', {}, 'abc\u001b', 'deny'],
    ['a correction', {}, 'ab\bc\r', { answers: { a: ['ac'] } }],
  ])('takes %s', (_, question, typed, answer) => {
    expect(press(promptFor(userInputQuestion([input(question)])), typed)).toEqual({ answer })
  })

  it('refuses what is not an option', () => {
    const prompt = promptFor(userInputQuestion([input({ options })]))
    for (const typed of ['3\r', '\b0\r', '\bThree\r']) expect(press(prompt, typed)).toBeNull()
    expect(shown(prompt)).toContain('a number from 1 to 2 is wanted')
  })

  it('does not show what is secret, and asks on when a question is skipped', () => {
    const prompt = promptFor(userInputQuestion([input({ isSecret: true }), input({ id: 'b' })]))
    press(prompt, 'hunter2')
    expect(shown(prompt)).not.toContain('hunter2')
    press(prompt, '\r')
    expect(press(prompt, '\r')).toEqual({ answer: { answers: { a: ['hunter2'] } } })
  })

  const form = (property: object, required: string[] = []): Question =>
    elicitationQuestion({ schema: { type: 'object', properties: { x: property }, required } })

  it.each<[object, string, unknown]>([
    [{ type: 'string' }, 'text\r', 'text'],
    [{ type: 'number', maximum: 2 }, '1.5\r', 1.5],
    [{ type: 'integer' }, '-3\r', -3],
    [{ type: 'boolean' }, 'Y\r', true],
    [{ type: 'boolean', default: false }, '\r', false],
    [{ type: 'string', enum: ['a', 'b'] }, '2\r', 'b'],
    [{ type: 'string', oneOf: [{ const: 'a', title: 'Apple' }] }, '1\r', 'a'],
    [{ type: 'string', default: 'given' }, '\r', 'given'],
    [{ type: 'array', items: { anyOf: [{ const: 'a' }, { const: 'b' }] } }, '2, 1,2\r', ['b', 'a']],
    [{ type: 'string' }, '\r', undefined],
  ])('fills in %j', (property, typed, value) => {
    expect(press(promptFor(form(property)), typed)).toEqual({
      answer: { content: value === undefined ? {} : { x: value } },
    })
  })

  it.each<[object, string, string]>([
    [{ type: 'number', maximum: 2 }, '3\r', 'at most 2'],
    [{ type: 'integer' }, '1.5\r', 'a whole number is wanted'],
    [{ type: 'number' }, 'x\r', 'a number is wanted'],
    [{ type: 'boolean' }, 'x\r', 'y or n is wanted'],
    [{ type: 'string', minLength: 2 }, 'x\r', 'at least 2 characters'],
    [{ type: 'array', maxItems: 1, items: { enum: ['a', 'b'] } }, '1,2\r', 'at most 1 choices'],
    [{ type: 'array', items: { enum: ['a', 'b'] } }, '1,x\r', 'numbers from 1 to 2 with commas are wanted'],
  ])('of %j does not take %j', (property, typed, problem) => {
    const prompt = promptFor(form(property))
    expect(press(prompt, typed)).toBeNull()
    expect(shown(prompt)).toContain(problem)
  })

  it('declines when a required field is left empty', () => {
    const prompt = promptFor(form({ type: 'string' }, ['x']))
    expect(shown(prompt)).toContain('x (required)')
    expect(press(prompt, ' \r')).toEqual({ answer: 'deny' })
  })
})

describe('a prompt for permissions', () => {
  const fileSystem = { read: ['/r'], write: ['/w'] }
  const wanted = { network: { enabled: true }, fileSystem }
  const open = () => promptFor(permissionsQuestion(wanted))
  const ESC = '\u001b'

  it('grants the whole by one key, as any choice', () => {
    expect(shown(open())).toContain(
      '  [o] allow for this turn  [s] allow for this task  [d] deny  [p] choose each  [?] what these do',
    )
    expect(press(open(), 'o')).toEqual({ answer: 'once' })
    expect(press(open(), 'd')).toEqual({ answer: 'deny' })
  })

  it('walks through each part, then asks for how long', () => {
    const prompt = open()
    press(prompt, 'p')
    expect(shown(prompt)).toContain('› the network, all of it')
    press(prompt, 'n')
    expect(shown(prompt)).toContain('✗ the network, all of it\n  › read /r\n    write /w')
    expect(shown(prompt)).toContain('read /r?  [y] yes  [n] no  [Esc] back')
    expect(press(prompt, 'ynxo')).toBeNull()
    expect(shown(prompt)).toContain('✓ read /r\n  ✗ write /w')
    expect(shown(prompt)).toContain('for how long?  [t] this turn  [s] this task')
    const permissions = { fileSystem: { read: ['/r'], write: [] } }
    expect(press(prompt, 's')).toEqual({ answer: { permissions, scope: 'session' } })
    expect(press(prompt, 't')).toEqual({ answer: { permissions, scope: 'turn' } })
  })

  it('denies when nothing is chosen, and can go back to the whole', () => {
    expect(press(open(), 'pnnn')).toEqual({ answer: 'deny' })
    const prompt = open()
    press(prompt, `py${ESC}`)
    expect(shown(prompt)).toContain('[p] choose each')
    expect(press(prompt, 'pnny')).toBeNull()
    expect(press(prompt, 't')).toEqual({
      answer: { permissions: { fileSystem: { read: [], write: ['/w'] } }, scope: 'turn' },
    })
  })

  it('has nothing to choose where there is only one thing', () => {
    const prompt = promptFor(permissionsQuestion({ network: { enabled: true }, fileSystem: null }))
    expect(shown(prompt)).not.toContain('[p]')
    expect(press(prompt, 'p')).toBeNull()
    expect(shown(prompt)).toContain('[o] allow for this turn')
  })

  it('says how much does not fit', () => {
    const write = Array.from({ length: 40 }, (_, index) => `/w${index}`)
    const prompt = promptFor(permissionsQuestion({ network: null, fileSystem: { read: null, write } }))
    expect(shown(prompt, { columns: 80, rows: 10 })).toContain('  [d] deny  [v] view all')
    press(prompt, 'vp')
    expect(prompt.lines({ columns: 80, rows: 10 })).toHaveLength(10)
    expect(shown(prompt, { columns: 80, rows: 10 })).toContain('more lines')
  })
})
