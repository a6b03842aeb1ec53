import { describe, expect, it } from 'vitest'
import { callOf, command, project } from './fixtures/projecting.ts'
import { type ChatMessage, DEFAULT_MESSAGE_LIMITS } from './index.ts'

const user = (text: string) => ({ type: 'userMessage', id: 'u1', content: [{ type: 'text', text }] })
const agent = (text: string) => ({ type: 'agentMessage', id: 'a1', text })
const reasoning = (...summary: string[]) => ({ type: 'reasoning', id: 'r1', summary, content: [] })
describe('words', () => {
  it.each<[string, unknown, ChatMessage[]]>([
    ['a user message', user('hi'), [{ role: 'user', content: 'hi' }]],
    [
      'a user message of several parts',
      {
        type: 'userMessage',
        id: 'u',
        content: [
          { type: 'text', text: 'look' },
          { type: 'localImage', path: '/w/a.png' },
          { type: 'image', url: 'data:image/png;base64,AAAA' },
          { type: 'skill', name: 'deploy', path: '' },
        ],
      },
      [
        {
          role: 'user',
          content: 'look\n[localImage /w/a.png]\n[image [image/png, 4 characters]]\n[skill deploy]',
        },
      ],
    ],
    ['an agent message', agent('done'), [{ role: 'assistant', content: 'done' }]],
    [
      'an agent message with questions',
      { ...agent('Which?'), questions: [{ title: 'Colour', options: ['red', 'blue'] }, { title: 'Why' }] },
      [{ role: 'assistant', content: 'Which?\nColour: red / blue\nWhy' }],
    ],
    ['an empty agent message', agent(''), []],
    ['a plan', { type: 'plan', id: 'p', text: '1. look' }, [{ role: 'assistant', content: '1. look' }]],
    [
      'a hook prompt',
      { type: 'hookPrompt', id: 'h', fragments: [{ text: 'run the tests', hookRunId: 'x' }] },
      [{ role: 'user', content: '[codex hook] run the tests' }],
    ],
    ['a context compaction', { type: 'contextCompaction', id: 'c' }, []],
    ['sub-agent activity', { type: 'subAgentActivity', id: 's', kind: 'started', agentPath: '/a' }, []],
    [
      'an unknown item',
      { type: 'telepathy', id: 't', thought: 'blå', about: { b: 1, a: 2 } },
      [{ role: 'assistant', content: '[codex telepathy] {"about":{"a":2,"b":1},"thought":"blå"}' }],
    ],
    ['an item without a type', { id: 't' }, [{ role: 'assistant', content: '[codex item] {}' }]],
    [
      'an item named like a method of objects',
      { type: 'constructor' },
      [{ role: 'assistant', content: '[codex constructor] {}' }],
    ],
  ])('%s', (_, item, messages) => {
    expect(project([item])).toEqual(messages)
  })

  it('says a review once, though codex says it twice', () => {
    const items = [
      { type: 'enteredReviewMode', id: '1', review: 'current changes' },
      { type: 'exitedReviewMode', id: '2', review: 'Looks good.' },
      agent('Looks good.'),
      agent('Looks good.'),
    ]
    expect(project(items)).toEqual([
      { role: 'user', content: '[codex review] current changes' },
      { role: 'assistant', content: 'Looks good.' },
      { role: 'assistant', content: 'Looks good.' },
    ])
  })
})

describe('reasoning', () => {
  it('goes to the next assistant message, once', () => {
    const messages = project([reasoning('a', 'b'), reasoning('c'), command(), agent('done')])
    expect(messages.map((message) => 'reasoning' in message && message.reasoning)).toEqual([
      'a\nb\nc',
      false,
      false,
    ])
  })

  it('waits through a context compaction', () => {
    expect(project([reasoning('a'), { type: 'contextCompaction', id: 'c' }, agent('done')])).toEqual([
      { role: 'assistant', content: 'done', reasoning: 'a' },
    ])
  })

  it('is kept when nothing follows it', () => {
    expect(project([reasoning('a')])).toEqual([{ role: 'assistant', content: '', reasoning: 'a' }])
  })

  it('does not cross over to the answer of the next user message', () => {
    expect(project([reasoning('a'), user('stop'), agent('ok')])).toEqual([
      { role: 'assistant', content: '', reasoning: 'a' },
      { role: 'user', content: 'stop' },
      { role: 'assistant', content: 'ok' },
    ])
  })
})

describe('call ids', () => {
  const idsOf = (messages: readonly ChatMessage[]) =>
    messages.flatMap((message) => (message.role === 'tool' ? [message.tool_call_id] : []))

  it('differ for items without one', () => {
    const items = [command({ id: '' }), command({ id: undefined }), command({ id: 5, command: 'pwd' })]
    expect(new Set(idsOf(project(items))).size).toBe(3)
  })

  it('depend on the item, not on its place, so that a page of a history gives the same ones', () => {
    const [, second] = idsOf(project([command({ id: '' }), command({ id: '', command: 'pwd' })]))
    expect(idsOf(project([command({ id: '', command: 'pwd' })]))).toEqual([second])
  })

  it('differ for a repeated item', () => {
    expect(idsOf(project([command(), command(), command()]))).toEqual([
      'codex_exec_call_1',
      'codex_exec_call_1_2',
      'codex_exec_call_1_3',
    ])
  })

  it('are short and plain even when codex has long or odd ones', () => {
    const ids = idsOf(
      project(['exec-0199b1c2-1111-7222-8333-944445555666', 'a b', 'é'].map((id) => command({ id }))),
    )
    expect(ids).toHaveLength(3)
    for (const id of ids) expect(id).toMatch(/^codex_exec_[0-9a-f]{16}$/)
  })
})

describe('limits', () => {
  const limits = DEFAULT_MESSAGE_LIMITS
  const note = 60

  it('keep both ends of a command output', () => {
    const output = `start${'x'.repeat(100_000)}end`
    const { result } = callOf(project([command({ aggregatedOutput: output })]))
    const kept: string = JSON.parse(result).output
    expect(kept).toMatch(/^startx+ \[…80008 characters left out…\] x+end$/)
  })

  it('cut results, errors and unknown items', () => {
    const mcp = { type: 'mcpToolCall', id: 'm', server: 's', tool: 't' }
    const long = 'y'.repeat(50_000)
    const result = callOf(project([{ ...mcp, result: { content: [{ type: 'text', text: long }] } }])).result
    const error = callOf(project([{ ...mcp, error: { message: long } }])).result
    const [unknown] = project([{ type: 'new', long }])
    for (const [text, limit] of [
      [result, limits.toolResult],
      [JSON.parse(error).error, limits.toolError],
      [unknown?.content, limits.unknownItem],
    ] as const) {
      expect(text).toContain('characters left out')
      expect(text?.length).toBeLessThan(limit + note)
    }
  })

  it('leave arguments valid JSON', () => {
    const long = 'z'.repeat(40_000)
    const one = callOf(project([command({ command: long })])).arguments
    expect(JSON.parse(one)).toMatchObject({ cwd: '/w', command: expect.stringContaining('left out') })
    const many = { type: 'dynamicToolCall', id: 'd', tool: 't', arguments: Array(5000).fill('word') }
    expect(JSON.parse(callOf(project([many])).arguments)).toEqual({
      cut: expect.stringContaining('left out'),
    })
  })

  it('can be set', () => {
    const { result } = callOf(
      project([command({ aggregatedOutput: 'abcdef' })], { limits: { commandOutput: 2 } }),
    )
    expect(JSON.parse(result).output).toBe('a […4 characters left out…] f')
  })

  it('never split a character', () => {
    const { result } = callOf(
      project([command({ aggregatedOutput: '😀'.repeat(9) })], { limits: { commandOutput: 6 } }),
    )
    expect(JSON.parse(result).output.isWellFormed()).toBe(true)
  })
})
