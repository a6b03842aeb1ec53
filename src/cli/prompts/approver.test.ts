import { describe, expect, it } from 'vitest'
import {
  commandQuestion,
  elicitationQuestion,
  fileChangeQuestion,
  mcpToolQuestion,
  permissionsQuestion,
  userInputQuestion,
} from '../../../test/support/questions.ts'
import type { Answer, Question, RuleDecision } from '../../codex/index.ts'
import { type ApproverOptions, makeApprover } from './approver.ts'

/** What the rules said; they leave only what is to be asked. */
const asks = (id: string | null): RuleDecision => ({
  answer: 'ask',
  rule: id === null ? null : ({ id } as RuleDecision['rule']),
  why: 'it says ask',
  parts: [],
  sandbox: null,
})
const plainYes = { network: false, fullAccess: false }

function decide(
  question: Question,
  { ruling = asks(null), ...options }: Partial<ApproverOptions> & { ruling?: RuleDecision | null },
) {
  const approve = makeApprover({ person: null, yes: null, ...options })
  return approve(question, { signal: new AbortController().signal, ruling })
}

const person = (answer: Answer) => ({ ask: async () => answer })

describe('who answers', () => {
  it('is --yes, before a person is asked', async () => {
    const options = { person: person('deny'), yes: plainYes }
    const once = { answer: 'once', by: 'rule', rule: '--yes' }
    expect(await decide(commandQuestion(), options)).toEqual(once)
    expect(await decide(commandQuestion(), { ...options, ruling: null })).toEqual(once)
  })

  it('is a person where --yes does not reach, or where a rule says to ask', async () => {
    const options = { person: person('session'), yes: plainYes }
    const network = permissionsQuestion({ network: { enabled: true }, fileSystem: null })
    expect(await decide(network, options)).toEqual({ answer: 'session', by: 'person' })
    expect(await decide(commandQuestion(), { ...options, ruling: asks('the rule') })).toMatchObject({
      by: 'person',
    })
  })

  it('is --yes after a rule that says to ask when nobody is there', async () => {
    expect(await decide(commandQuestion(), { ruling: asks('the rule'), yes: plainYes })).toMatchObject({
      rule: '--yes',
    })
  })

  it('is nobody: no, and why', async () => {
    expect(await decide(commandQuestion(), {})).toEqual({
      answer: 'deny',
      by: 'default',
      why: 'nobody is there to answer',
    })
  })
})

describe('--yes', () => {
  const files = (fileSystem: object) => permissionsQuestion({ network: null, fileSystem } as never)
  const entry = (path: object) => files({ read: null, write: null, entries: [{ path, access: 'write' }] })
  const network = { host: 'example.com', protocol: 'https' as const }

  it.each<[string, Question]>([
    ['a command', commandQuestion()],
    ['a change', fileChangeQuestion()],
    ['a tool', mcpToolQuestion()],
    ['a folder', files({ read: ['/data'], write: ['/srv/x', 'C:\\work'] })],
    ['a folder by entry', entry({ type: 'path', path: '/repo' })],
  ])('covers %s', async (_, question) => {
    expect(await decide(question, { yes: plainYes })).toMatchObject({ answer: 'once' })
  })

  it.each<[string, Question, keyof typeof plainYes]>([
    ['the network', permissionsQuestion({ network: { enabled: true }, fileSystem: null }), 'network'],
    ['a host', commandQuestion({ network }), 'network'],
    [
      'a command with the network',
      commandQuestion({ additionalPermissions: { network: { enabled: true } } }),
      'network',
    ],
    ['a root to write to', fileChangeQuestion({ grantRoot: '/repo' }), 'fullAccess'],
    ['/', files({ read: null, write: ['/'] }), 'fullAccess'],
    ['// and /..', files({ read: ['//', '/..'], write: null }), 'fullAccess'],
    ['a drive', files({ read: ['C:\\'], write: null }), 'fullAccess'],
    ['a pattern', files({ read: null, write: ['/**'] }), 'fullAccess'],
    ['the root by name', entry({ type: 'special', value: { kind: 'root' } }), 'fullAccess'],
    ['a pattern by entry', entry({ type: 'glob_pattern', pattern: '/**' }), 'fullAccess'],
    ['a place of a later codex', entry({ type: 'new' }), 'fullAccess'],
  ])('covers %s only when that is spelled out', async (_, question, flag) => {
    const other = flag === 'network' ? 'fullAccess' : 'network'
    expect(await decide(question, { yes: { ...plainYes, [other]: true } })).toMatchObject({
      answer: 'deny',
      by: 'default',
      why: expect.stringContaining(flag === 'network' ? '--yes-network does' : '--yes-full-access does'),
    })
    expect(await decide(question, { yes: { ...plainYes, [flag]: true } })).toMatchObject({ answer: 'once' })
  })

  it.each<[string, Question]>([
    ['visits no page', elicitationQuestion({ url: 'https://example.com' })],
    ['fills in no form', elicitationQuestion({ choices: [{ word: 'deny', effect: '', lasts: 'now' }] })],
    ['makes up no answer', userInputQuestion([])],
  ])('%s', async (_, question) => {
    const yes = { network: true, fullAccess: true }
    expect(await decide(question, { yes })).toMatchObject({
      answer: 'deny',
      why: expect.stringContaining('--yes cannot'),
    })
  })
})
