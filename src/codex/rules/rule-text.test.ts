import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseRule } from './parse-rule.ts'
import { isPlainLine } from './plain-text.ts'
import type { Rule } from './rule.ts'
import { parseRuleText, printRule } from './rule-text.ts'

const line = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
  .filter((text) => isPlainLine(text) && text.trim() !== '')
const words = fc.array(fc.oneof(line, fc.constantFrom('', '-l', 'a=b', '$(x)', "'", '*', 'command')), {
  maxLength: 4,
})
const glob = fc.constantFrom('/etc/**', '@workspace/**', '@home/.*', '**/.ssh/*', '/a b/?.ts', "/it's", '/**')
const conditions = {
  cwd: glob,
  labels: fc.array(line, { minLength: 1, maxLength: 3 }),
  thread: line,
}
const commandConditions = {
  ...conditions,
  env: fc.array(fc.constantFrom('CI', 'FOO', '*'), { maxLength: 2 }),
  options: fc.array(fc.constantFrom('-l', '-n=', '--stat', '--format=', '-#'), { maxLength: 3 }),
  anyWord: fc.array(line, { minLength: 1, maxLength: 2 }),
  paths: fc.array(glob, { minLength: 1, maxLength: 2 }),
  operands: fc.constantFrom('none', 'inside', 'outside'),
  isSandboxed: fc.boolean(),
}
const none: { requiredKeys: [] } = { requiredKeys: [] }
const program = words.map((rest) => ['git', ...rest])
const matches = fc.oneof(
  fc.tuple(
    fc.constant('command'),
    fc.record(commandConditions, none),
    program.map((argvPrefix) => ({ argvPrefix })),
  ),
  fc.tuple(
    fc.constant('command'),
    fc.record(commandConditions, none),
    program.map((command) => ({ command })),
  ),
  fc.tuple(fc.constant('command'), fc.record(conditions, none), fc.constant({ argvPrefix: [] })),
  fc.tuple(
    fc.constant('path'),
    fc.record(conditions, none),
    fc.array(glob, { minLength: 1, maxLength: 3 }).map((paths) => ({ paths })),
  ),
  fc.tuple(
    fc.constant('mcp'),
    fc.record({ ...conditions, isReadOnly: fc.boolean() }, none),
    fc.record({
      server: fc.constantFrom('git-hub', '*', 'a?'),
      tool: fc.constantFrom('get_*', 'a.b', "it's", '*'),
    }),
  ),
  fc.tuple(
    fc.constant('host'),
    fc.record(conditions, none),
    fc.constantFrom('*', '*.a.example', '10.0.0.1', '::1').map((host) => ({ host })),
  ),
  fc.tuple(fc.constantFrom('network', 'input'), fc.record(conditions, none), fc.constant({})),
  fc.tuple(fc.constant('elicitation'), fc.record(conditions, none), fc.constant({ server: '*' })),
)
const anyRule = fc
  .tuple(
    fc.record(
      { id: line, answer: fc.constantFrom('allow', 'deny', 'ask'), expiresAt: fc.nat(), note: line },
      { requiredKeys: ['id', 'answer'] },
    ),
    matches,
  )
  .map(
    ([base, [kind, some, subject]]) => ({ ...base, kind, match: { ...some, ...subject } }) as unknown as Rule,
  )

describe('the text of a rule', () => {
  it('reads back as the same rule', () => {
    fc.assert(
      fc.property(anyRule, (rule) => {
        expect(parseRule(rule)).toEqual({ rule, problem: null })
        const text = printRule(rule)
        expect(parseRuleText(text)).toEqual({ rule, problem: null })
        expect(printRule(parseRuleText(text).rule!)).toBe(text)
      }),
      { numRuns: 500 },
    )
  })

  it.each([
    [
      'allow command git status',
      { answer: 'allow', kind: 'command', match: { argvPrefix: ['git', 'status'] } },
    ],
    ['allow exact npm test', { answer: 'allow', kind: 'command', match: { command: ['npm', 'test'] } }],
    ['deny path /etc/**', { answer: 'deny', kind: 'path', match: { paths: ['/etc/**'] } }],
    ['ask mcp github.*', { answer: 'ask', kind: 'mcp', match: { server: 'github', tool: '*' } }],
    ['allow host *.example.com', { answer: 'allow', kind: 'host', match: { host: '*.example.com' } }],
    [
      "allow command echo 'a b'",
      { answer: 'allow', kind: 'command', match: { argvPrefix: ['echo', 'a b'] } },
    ],
  ])('%s', (text, rule) => {
    const parsed = parseRuleText(text).rule
    expect(parsed).toMatchObject(rule)
    expect(parseRuleText(printRule(parsed!)).rule).toEqual(parsed)
    expect(parseRuleText(parsed!.id).rule).toEqual(parsed)
  })

  it.each([
    ['', /say what it is about/],
    ['allow', /say what it is about/],
    ['perhaps command ls', /answer must be allow, deny or ask/],
    ['allow folder /x', /say what it is about/],
    ['allow command ls; rm x', /no operators/],
    ['allow command ls $(x)', /cannot be read/],
    ['allow path', /paths is empty/],
    ['allow path etc/x', /must start with/],
    ['allow path /a/../b', /must not contain/],
    ["allow path '/a/[bc]'", /knows only/],
    ['allow path /a**', /\*\* inside a name/],
    ['allow exact', /has no words/],
    ['allow env=PATH command ls', /can change what runs/],
    ['allow env=GIT_SSH_COMMAND command git', /can change what runs/],
    ['allow host exa*mple.com', /is not a host/],
    ['allow until=tomorrow command ls', /expiresAt must be a time/],
    ['allow cwd=/a cwd=/b command ls', /twice/],
    ['allow colour=red command ls', /no condition colour=/],
    ['allow sandboxed=maybe command ls', /yes or no/],
    ['allow network now', /takes no more words/],
    ['allow command l\u200bs', /cannot be (?:seen|read)/],
  ])('refuses %j', (text, problem) => {
    expect(parseRuleText(text)).toEqual({ rule: null, problem: expect.stringMatching(problem) })
  })

  it('never throws', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void parseRuleText(`allow ${text}`)))
    fc.assert(fc.property(fc.string(), (text) => void parseRuleText(`allow command ${text}`)))
  })
})

describe('parseRule', () => {
  const rule = { id: 'x', answer: 'allow', kind: 'command', match: { argvPrefix: ['ls'] } }

  it.each([
    [null, /the rule must be an object/],
    [[rule], /the rule must be an object/],
    [{ ...rule, id: '' }, /id must be one line/],
    [{ ...rule, id: 'a\nb' }, /id must be one line/],
    [{ ...rule, answer: 'yes' }, /answer must be/],
    [{ ...rule, kind: 'toString' }, /kind must be one of/],
    [{ ...rule, exires: 1 }, /no field "exires"/],
    [{ ...rule, match: {} }, /needs argvPrefix or command/],
    [{ ...rule, match: { argvPrefix: ['ls'], command: ['ls'] } }, /not both/],
    [{ ...rule, match: { argvPrefix: 'ls' } }, /must be a list/],
    [{ ...rule, match: { argvPrefix: [1] } }, /must be text/],
    [{ ...rule, match: { argvPrefix: [''] } }, /first word is empty/],
    [{ ...rule, match: { argvPrefix: ['ls'], cwdd: '/x' } }, /no field "cwdd" in match/],
    [{ ...rule, match: { argvPrefix: ['ls'], labels: [] } }, /labels is empty/],
    [{ ...rule, match: { argvPrefix: ['ls'], check: 'x' } }, /no field "check"/],
    [{ ...rule, expiresAt: 'x' }, /must be a time/],
    [{ ...rule, expiresAt: 1.5 }, /must be a time/],
    [{ ...rule, kind: 'mcp', match: { server: 'x' } }, /needs tool/],
    [{ ...rule, kind: 'mcp', match: { server: 'a.b', tool: 'x' } }, /not a name/],
  ])('refuses %j', (value, problem) => {
    expect(parseRule(value)).toEqual({ rule: null, problem: expect.stringMatching(problem) })
  })

  it('takes a time as text or as a number', () => {
    const expiresAt = Date.UTC(2026, 11, 31)
    expect(parseRule({ ...rule, expiresAt: '2026-12-31T00:00:00Z' }).rule).toEqual({ ...rule, expiresAt })
  })

  it('never throws', () => {
    fc.assert(fc.property(fc.anything(), (value) => void parseRule(value)))
    fc.assert(fc.property(fc.anything(), (match) => void parseRule({ ...rule, match })))
  })
})
