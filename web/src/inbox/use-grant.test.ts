import { describe, expect, it } from 'vitest'
import type { Question } from '../api/contract.ts'
import { answerText, isYes } from './answer-text.ts'
import { sandboxText } from './sandbox-text.ts'
import { allTicked, decisionFor } from './use-grant.ts'

const entry = (access: string, path: string) => ({ access, path: { type: 'path', path } })
const entries = [entry('write', '/a'), entry('write', '/b'), entry('deny', '/a/secret')]
const permissions = { network: { enabled: true }, fileSystem: { read: null, write: ['/a', '/b'], entries } }
const question = { kind: 'permissions', permissions } as unknown as Question

describe('what is ticked', () => {
  const all = allTicked(permissions, '')
  const only = (...labels: string[]) => ({
    ...all,
    ticked: new Set(all.parts.filter(({ label }) => labels.includes(label))),
  })

  it('is what is sent, with the limits that came with it', () => {
    expect(decisionFor(question, 'once', only('write /a'))).toEqual({
      answer: {
        permissions: { fileSystem: { read: null, write: ['/a'], entries: [entries[0], entries[2]] } },
        scope: 'turn',
      },
    })
    expect(decisionFor(question, 'session', all)).toEqual({ answer: { permissions, scope: 'session' } })
  })

  it('is nothing: it cannot be allowed, only denied', () => {
    expect(decisionFor(question, 'once', only())).toBeNull()
    expect(decisionFor(question, 'session', only())).toBeNull()
    expect(decisionFor(question, 'deny', only())).toEqual({ answer: 'deny' })
  })

  it('does not matter for other questions', () => {
    const command = { kind: 'command' } as unknown as Question
    expect(decisionFor(command, 'once', allTicked(null, ''))).toEqual({ answer: 'once' })
  })

  it.each([null, 3, { fileSystem: { entries: 'x' } }])('of %j is nothing', (odd) => {
    expect([...allTicked(odd, '').ticked]).toEqual([])
  })
})

describe('an answer is told', () => {
  it.each([
    ['once', 'command', 'Allowed once'],
    ['once', 'permissions', 'Allowed for this turn'],
    ['once', 'elicitation', 'Answered yes'],
    ['cancel', 'command', 'Denied, and the turn stopped'],
    ['cancel', 'elicitation', 'Denied'],
    ['cancel', 'mcp-tool', 'Denied'],
    [{ content: { name: 'Ada', count: 3 } }, 'elicitation', 'Answered “name: Ada, count: 3”'],
    [{ answers: { color: ['Blue'] } }, 'user-input', 'Answered “color: Blue”'],
    [
      { permissions: { network: { enabled: true } }, scope: 'session' },
      'permissions',
      'Allowed for this task (the network, all of it)',
    ],
    [{ permissions: {}, scope: 'turn' }, 'permissions', 'Denied'],
  ])('%j to a question about %s: %s', (answer, kind, told) => {
    expect(answerText(answer, kind)).toBe(told)
    expect(isYes(answer)).toBe(!told.startsWith('Denied'))
  })
})

describe('the sandbox', () => {
  const asked = { turnId: 'turn-1', parent: null }
  const task = (sandbox: object | null, turnId = 'turn-1') => ({
    turnId,
    effectivePolicy: sandbox && { sandbox },
  })

  it.each([
    [undefined, 'sandbox: loading…'],
    [task(null), 'sandbox: loading…'],
    [task({ type: 'readOnly', networkAccess: false }, 'turn-0'), 'sandbox: loading…'],
    [task({ type: 'readOnly', networkAccess: true }), 'sandbox: read-only, with network'],
    [task({ type: 'workspaceWrite' }), 'sandbox: may write in the workspace, no network'],
    [task({ type: 'dangerFullAccess' }), 'no sandbox: full access'],
    [task({ type: 'externalSandbox' }), 'sandbox: externalSandbox'],
  ])('of %j: %s', (known, told) => {
    expect(sandboxText(asked, known)).toBe(told)
  })
})
