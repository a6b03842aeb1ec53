import { describe, expect, it } from 'vitest'
import { commandQuestion, fileChangeQuestion, userInputQuestion } from '../../../test/support/questions.ts'
import { PRESETS, parseRuleText, type Rule, type Decision as RuleDecision } from '../rules/index.ts'
import { judge, ruledAnswer } from './judge.ts'
import { rulesOf } from './thread-approvals.ts'

function rule(text: string): Rule {
  const { rule: parsed, problem } = parseRuleText(text)
  if (!parsed) throw new Error(problem)
  return parsed
}

const real = (place: string) => place
const surroundings = {
  workspaceRoots: ['/srv'],
  now: 0,
  paths: { resolve: real, missing: [], hasGaps: false },
}

describe('the rules on a question', () => {
  it('see what it asks, where the thread works, and its labels', () => {
    const rules = [rule('allow label=ci command touch'), rule('allow path @workspace/**')]
    const touch = commandQuestion({ command: 'touch made', params: { command: 'touch made' } })
    expect(judge(touch, { ...surroundings, rules, labels: ['ci'] })).toMatchObject({ answer: 'allow' })
    expect(judge(touch, { ...surroundings, rules })).toMatchObject({ answer: 'ask', rule: null })
    const change = (path: string) =>
      fileChangeQuestion({ changes: [{ path, kind: { type: 'add' }, diff: '' }] })
    expect(judge(change('/srv/a'), { ...surroundings, rules })).toMatchObject({ answer: 'allow' })
    expect(judge(change('/opt/a'), { ...surroundings, rules })).toMatchObject({ answer: 'ask' })
  })

  it('allow no path that cannot be resolved, and still deny it', () => {
    const rules = [rule('allow path @workspace/** /**'), rule('deny path **/.env')]
    const change = (path: string) =>
      fileChangeQuestion({ changes: [{ path, kind: { type: 'add' }, diff: '' }] })
    const blind = { ...surroundings, rules, paths: { resolve: () => null, missing: [], hasGaps: false } }
    expect(judge(change('/srv/a'), blind)).toMatchObject({ answer: 'ask' })
    expect(judge(change('/srv/.env'), blind)).toMatchObject({ answer: 'deny' })
  })

  it('allow nothing while a path they need was not looked up, and still deny', () => {
    const unknown = { resolve: real, missing: ['/srv/link'], hasGaps: true }
    const touch = commandQuestion({ command: 'touch made', params: { command: 'touch made' } })
    const judged = (text: string) => judge(touch, { ...surroundings, rules: [rule(text)], paths: unknown })
    expect(judged('allow command touch')).toMatchObject({
      answer: 'ask',
      rule: null,
      why: '/srv/link could not be looked up in time',
    })
    expect(judged('deny command touch')).toMatchObject({ answer: 'deny' })
  })

  it('are over when they expire', () => {
    const rules = [{ ...rule('allow command touch'), expiresAt: 5 }]
    const touch = commandQuestion({ command: 'touch made', params: { command: 'touch made' } })
    expect(judge(touch, { ...surroundings, rules, now: 4 })).toMatchObject({ answer: 'allow' })
    expect(judge(touch, { ...surroundings, rules, now: 5 })).toMatchObject({ answer: 'ask' })
  })
})

describe('a ruling', () => {
  const ruling = (answer: RuleDecision['answer']) =>
    ({ answer, rule: { id: 'house rule' } as Rule, why: 'it says so' }) as const

  it('allows once or denies, with its rule and why', () => {
    const by = { by: 'rule', rule: 'house rule', why: 'it says so' }
    expect(ruledAnswer(commandQuestion(), ruling('allow'))).toEqual({ answer: 'once', ...by })
    expect(ruledAnswer(commandQuestion(), ruling('deny'))).toEqual({ answer: 'deny', ...by })
  })

  it('leaves open what it asks for, and what only values answer', () => {
    expect(ruledAnswer(commandQuestion(), ruling('ask'))).toBeNull()
    expect(ruledAnswer(userInputQuestion([]), ruling('allow'))).toBeNull()
    expect(ruledAnswer(userInputQuestion([]), ruling('deny'))).toMatchObject({ answer: 'deny' })
  })
})

it('the rules of a thread are its own and its preset’s', () => {
  const own = rule('deny command rm')
  expect(rulesOf({})).toEqual([])
  expect(rulesOf({ rules: [own] })).toEqual([own])
  expect(rulesOf({ rules: [own], preset: 'workspace' })).toEqual([own, ...PRESETS.workspace])
})
