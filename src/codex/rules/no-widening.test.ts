// Properties: whatever is asked, a rule never answers more than it says.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { COMMANDS } from './fixtures/commands.ts'
import { decideAction, decideCommand, rulesFrom } from './fixtures/workspace.ts'
import { PRESETS } from './presets.ts'
import type { Rule } from './rule.ts'
import { quoteWords } from './shell-quote.ts'
import { shellScript } from './shell-script.ts'

const known = Object.values(COMMANDS)
  .flat()
  .map(([, command]) => command)
const piece = fc.oneof(
  fc.constantFrom(
    ...';&|`$()<>\n"\'\\{}[]*?~#! =-/\t\r',
    '$(',
    '&&',
    '||',
    '>>',
    '<<',
    ' ls ',
    ' rm x ',
    'sudo ',
    'A=1 ',
  ),
  fc.string({ unit: 'binary', maxLength: 6 }),
)
const tail = fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join(''))
const command = fc.constantFrom(...known)
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  tail,
  fc.tuple(command, tail).map((both) => both.join('')),
)
const preset = fc.constantFrom(...Object.values(PRESETS))
const word = fc.oneof(fc.constantFrom('ls', '-l', 'a b', "it's", '$x', ''), fc.string({ maxLength: 5 }))

const NOTHING = { readPaths: [], writePaths: [], network: false, other: [] }

function rule(answer: Rule['answer'], argvPrefix: readonly string[]): Rule {
  return { id: `${answer} ${argvPrefix.join(' ')}`, answer, kind: 'command', match: { argvPrefix } }
}

describe('decide', () => {
  it('never throws and always explains itself', () => {
    fc.assert(
      fc.property(preset, anyText, (rules, text) => {
        const { answer, why } = decideCommand(rules, text)
        expect(['allow', 'ask', 'deny']).toContain(answer)
        expect(why).not.toBe('')
      }),
      { numRuns: 2000 },
    )
  })

  it('allows nothing outside the sandbox under read-only and workspace, whatever the command', () => {
    const narrow = fc.constantFrom(PRESETS['read-only'], PRESETS.workspace)
    const cwd = fc.constantFrom('/w', '/w/src', '/home/me', '/', null)
    const extra = fc.constantFrom({}, { host: 'x.example.com' }, { permissions: NOTHING })
    const argv = fc.option(fc.array(word, { maxLength: 4 }), { nil: undefined })
    fc.assert(
      fc.property(narrow, fc.oneof(command, anyText), cwd, extra, argv, (rules, text, where, more, words) => {
        const action = {
          kind: 'command',
          command: text,
          ...(words && { argv: words }),
          cwd: where,
          isEscalated: true,
          ...more,
        } as const
        expect(decideAction(rules, action).answer).toBe('ask')
        expect(decideCommand(rules, text, { cwd: where, isEscalated: true }).answer).toBe('ask')
      }),
      { numRuns: 5000 },
    )
  })

  it('asks for what cannot be read, whatever is allowed', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        if ('unread' in shellScript(text))
          expect(decideCommand(rulesFrom('allow env=* command'), text).answer).toBe('ask')
      }),
      { numRuns: 2000 },
    )
  })

  it('allows by a whole command nothing but that command', () => {
    fc.assert(
      fc.property(
        fc.tuple(fc.constantFrom('ls', 'git', 'npm'), fc.array(word, { maxLength: 3 })),
        tail,
        ([first, rest], more) => {
          const words = [first, ...rest]
          const exact: Rule = { id: 'exact', answer: 'allow', kind: 'command', match: { command: words } }
          const text = quoteWords(words) + more
          if (decideCommand([exact], text).answer !== 'allow') return
          const script = shellScript(text)
          if ('unread' in script) throw new Error(`allowed what cannot be read: ${script.unread}`)
          for (const part of script.commands) expect(part).toMatchObject({ words, env: [], redirections: [] })
        },
      ),
      { numRuns: 2000 },
    )
  })

  it('allows a longer text only when each command in it is allowed by itself', () => {
    fc.assert(
      fc.property(preset, command, tail, (rules, first, more) => {
        if (decideCommand(rules, first + more).answer !== 'allow') return
        const script = shellScript(first + more)
        if ('unread' in script) throw new Error(`allowed what cannot be read: ${script.unread}`)
        for (const { words, env } of script.commands)
          if (env.length === 0) expect(decideCommand(rules, quoteWords(words)).answer).toBe('allow')
      }),
      { numRuns: 3000 },
    )
  })

  it('lets deny win over ask and ask over allow, whatever the order', () => {
    const answers = fc.constantFrom<Rule['answer']>('allow', 'deny', 'ask')
    fc.assert(
      fc.property(fc.array(answers, { minLength: 1, maxLength: 6 }), (order) => {
        const strictest = (['deny', 'ask', 'allow'] as const).find((answer) => order.includes(answer))
        const rules = order.map((answer) => rule(answer, ['ls']))
        expect(decideCommand(rules, 'ls -l').answer).toBe(strictest)
      }),
    )
  })

  it('does not allow more because of another deny or ask', () => {
    const stricter = fc.constantFrom(
      ...rulesFrom('deny command ls', 'ask command git', 'deny path /w/**', 'ask host *'),
    )
    fc.assert(
      fc.property(preset, command, stricter, (rules, text, more) => {
        if (decideCommand(rules, text).answer !== 'allow')
          expect(decideCommand([...rules, more], text).answer).not.toBe('allow')
      }),
      { numRuns: 1000 },
    )
  })
})
