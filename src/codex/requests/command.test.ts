import { describe, expect, it } from 'vitest'
import type { ServerParams } from '../protocol/index.ts'
import { command } from './command.ts'
import type { Facts } from './family.ts'
import { facts, PLACE } from './fixtures/facts.ts'
import type { Answer, CommandQuestion } from './question.ts'

type Params = ServerParams<'item/commandExecution/requestApproval'>

const WORDS = ['once', 'session', 'always', 'deny', 'cancel'] as const
const exec = { acceptWithExecpolicyAmendment: { execpolicy_amendment: ['touch', 'x'] } }
const allow = { host: 'example.com', action: 'allow' } as const
const deny = { host: 'example.com', action: 'deny' } as const
const reach = { applyNetworkPolicyAmendment: { network_policy_amendment: allow } }

function params(more: Partial<Params> = {}): Params {
  return { ...PLACE, kind: 'command', command: 'touch x', cwd: '/there', ...more }
}

function ask(more: Partial<Params> = {}): CommandQuestion {
  return command.ask!(params(more), facts()) as CommandQuestion
}

const words = (more: Partial<Params>) => ask(more).choices.map(({ word }) => word)
const reply = (answer: Answer, more: Partial<Params> = {}) =>
  command.reply!(answer as never, params(more), facts())

describe('the choices of a command', () => {
  it.each<[string, Partial<Params>, readonly string[]]>([
    ['nothing is said about them', {}, ['once', 'session', 'deny', 'cancel']],
    ['a rule is proposed', { proposedExecpolicyAmendment: ['touch', 'x'] }, WORDS],
    [
      'the proposed rule is empty',
      { proposedExecpolicyAmendment: [] },
      ['once', 'session', 'deny', 'cancel'],
    ],
    [
      'a rule is proposed and listed',
      { proposedExecpolicyAmendment: ['touch', 'x'], availableDecisions: ['accept', exec, 'cancel'] },
      WORDS,
    ],
    [
      'a rule is proposed and not listed',
      { proposedExecpolicyAmendment: ['touch', 'x'], availableDecisions: ['accept', 'cancel'] },
      ['once', 'session', 'deny', 'cancel'],
    ],
    [
      'another rule is listed than is proposed',
      { proposedExecpolicyAmendment: ['touch'], availableDecisions: ['accept', exec, 'cancel'] },
      ['once', 'session', 'deny', 'cancel'],
    ],
    ['little is listed', { availableDecisions: ['decline'] }, ['session', 'deny']],
    ['a host may be allowed', { proposedNetworkPolicyAmendments: [deny, allow] }, WORDS],
    [
      'a host may only be denied',
      { proposedNetworkPolicyAmendments: [deny] },
      ['once', 'session', 'deny', 'cancel'],
    ],
    [
      'text is typed',
      { kind: 'writeStdin', availableDecisions: ['accept', 'cancel'] },
      ['once', 'deny', 'cancel'],
    ],
  ])('when %s', (_, more, expected) => {
    expect(words(more)).toEqual(expected)
  })

  it('say what they would do', () => {
    const effect = (word: string, more: Partial<Params>) =>
      ask(more).choices.find((choice) => choice.word === word)?.effect
    const network = { host: 'example.com', protocol: 'https' } as const
    expect(effect('once', {})).toContain('leave the sandbox')
    expect(effect('session', {})).toContain('leave the sandbox')
    expect(effect('session', { additionalPermissions: {} as never })).toContain('in the sandbox')
    expect(effect('session', { networkApprovalContext: network })).toBe(
      "Don't ask again for this host in this task.",
    )
    expect(effect('always', { proposedExecpolicyAmendment: ['git'] })).toContain('leave the sandbox')
    const reaching = (escalation: Facts['escalation']) =>
      command.ask!(params({}), facts({ escalation })).choices[0]!.effect
    expect(reaching({ network: true, protectedFiles: true })).toContain('every file, and the network')
    expect(reaching({ network: false, protectedFiles: false })).toContain(
      'network and logins stay out of reach',
    )
    expect(reaching({ network: true, protectedFiles: false })).toContain('with network; logins stay out')
    const held = facts({ escalation: { network: false, protectedFiles: false } })
    const lasting = command.ask!(params({ proposedExecpolicyAmendment: ['git'] }), held).choices
    expect(lasting.map(({ word }) => word)).toEqual(['once', 'session', 'deny', 'cancel'])
    expect(effect('once', { kind: 'writeStdin' })).toContain('typed')
    expect(effect('once', { additionalPermissions: {} as never })).toContain('in the sandbox')
    expect(effect('once', { networkApprovalContext: network })).toContain('reached')
    expect(effect('always', { proposedExecpolicyAmendment: ['git', 'push'] })).toContain('"git push"')
    expect(effect('always', { proposedNetworkPolicyAmendments: [allow] })).toContain('example.com')
  })
})

describe('a command', () => {
  it('is shown with what came, and never without a folder', () => {
    expect(ask({ reason: 'why' })).toMatchObject({
      kind: 'command',
      requestId: 7,
      threadId: 'thread',
      turnId: 'turn',
      itemId: 'item',
      title: 'run touch x',
      command: 'touch x',
      cwd: '/there',
      reason: 'why',
    })
    expect(ask({ cwd: null }).cwd).toBe('/repo')
    expect(ask({ cwd: '' as never }).cwd).toBe('/repo')
    expect(ask({ command: null })).toMatchObject({ title: 'run a command', command: 'a command' })
    expect(ask({ kind: 'writeStdin', command: 'yes' }).title).toBe('type into yes')
    const network = { host: 'example.com', protocol: 'https' } as const
    expect(ask({ command: null, networkApprovalContext: network })).toMatchObject({
      title: 'reach example.com over https',
      command: '',
      network,
    })
  })

  it('is answered in codex’s words', () => {
    expect(reply('once')).toEqual({ decision: 'accept' })
    expect(reply('session')).toEqual({ decision: 'acceptForSession' })
    expect(reply('deny')).toEqual({ decision: 'decline' })
    expect(reply('cancel')).toEqual({ decision: 'cancel' })
    expect(reply('always', { proposedExecpolicyAmendment: ['touch', 'x'] })).toEqual({ decision: exec })
    expect(reply('always', { proposedNetworkPolicyAmendments: [deny, allow] })).toEqual({ decision: reach })
  })

  it('cannot be answered with what is not offered', () => {
    const bad = expect.objectContaining({ code: 'bad-answer' })
    expect(() => reply('always')).toThrow(bad)
    expect(() => reply('always', { proposedNetworkPolicyAmendments: [deny] })).toThrow(bad)
    expect(() => reply('once', { availableDecisions: ['cancel'] })).toThrow(bad)
    expect(() => reply('cancel', { availableDecisions: ['accept'] })).toThrow(bad)
    expect(() => reply('yes' as never)).toThrow(bad)
    expect(() => reply({ content: {} })).toThrow(/once, session, deny, cancel/)
  })

  it('is refused', () => {
    expect(command.refuse(params(), facts())).toEqual({ decision: 'decline' })
  })
})
