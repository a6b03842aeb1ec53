import { describe, expect, it } from 'vitest'
import type { AuditEntry } from '../../api/index.ts'
import { auditTable } from './audit-table.ts'

const NOW = new Date(2026, 10, 17).getTime()

const ENTRY: AuditEntry = {
  id: 1,
  at: new Date(2026, 10, 16, 9, 5, 7).getTime(),
  approvalId: 'a',
  taskId: '019c0000-0000-7000-8000-0000aaaa1111',
  kind: 'command',
  title: 'run touch made',
  answer: 'once',
  by: 'person',
  actor: 'console',
  rule: null,
  why: null,
}

const rows = (more: Partial<AuditEntry>) =>
  auditTable([{ ...ENTRY, ...more }], NOW)
    .slice(1)
    .map((row) => row.map(({ text }) => text))

describe('the table of decisions', () => {
  it('has when, which task, the answer, by whom and what', () => {
    expect(rows({})).toEqual([['2026-11-16 09:05', 'aaaa1111', 'allowed once', 'console', 'run touch made']])
  })

  it('tells below why, by which rule, and what was filled in', () => {
    const below = (more: Partial<AuditEntry>) => rows(more).map((row) => row.at(-1)!.trim())
    const why = 'rule allow command touch allows it'
    expect(below({ by: 'rule', actor: null, rule: 'allow command touch', why })).toEqual([
      'run touch made',
      `why: ${why}`,
    ])
    expect(below({ answer: 'always', rule: 'allow command touch', why: 'sure' })).toEqual([
      'run touch made',
      'rule: allow command touch',
      'why: sure',
    ])
    const answer = { answers: { colour: ['red', 'blue'], token: ['(secret)'] } }
    expect(below({ kind: 'user-input', answer })).toEqual([
      'run touch made',
      'colour: red, blue; token: (secret)',
    ])
  })

  it('names a rule, and nobody', () => {
    expect(rows({ by: 'rule', actor: null })[0]![3]).toBe('a rule')
    expect(rows({ by: 'default', actor: null, answer: 'deny' })[0]!.slice(2, 4)).toEqual([
      'declined',
      'nobody',
    ])
  })
})
