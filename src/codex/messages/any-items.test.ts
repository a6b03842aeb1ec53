import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { protocol } from '../protocol/index.ts'
import { alternateRoles, type ChatMessage, MessageProjector, projectItems } from './index.ts'

type Item = protocol.v2.ThreadItem

/** Items as the wire may bring them: complete, incomplete or unheard of. */
function project(items: readonly unknown[]): ChatMessage[] {
  return projectItems(items as Item[])
}

const reasoning = (...summary: string[]) => ({ type: 'reasoning', id: 'r1', summary, content: [] })

const TYPES = [
  'userMessage',
  'hookPrompt',
  'agentMessage',
  'functionCallOutput',
  'plan',
  'reasoning',
  'commandExecution',
  'fileChange',
  'mcpToolCall',
  'dynamicToolCall',
  'collabAgentToolCall',
  'subAgentActivity',
  'webSearch',
  'imageView',
  'sleep',
  'imageGeneration',
  'enteredReviewMode',
  'exitedReviewMode',
  'contextCompaction',
  'unheardOf',
  '__proto__',
]
const FIELDS =
  'text content summary review fragments questions command cwd status aggregatedOutput exitCode changes server tool namespace name arguments result error contentItems success output query action results path revisedPrompt agentsStates prompt receiverThreadIds durationMs'.split(
    ' ',
  )
const anyField = fc.oneof(
  fc.jsonValue(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('completed', 'failed', 'inProgress', null, [{ type: 'text', text: 'x' }], ['a', 'b']),
)
const anyItem = fc.oneof(
  { weight: 9, arbitrary: anyKnownItem() },
  { weight: 1, arbitrary: fc.jsonValue() as fc.Arbitrary<unknown> },
)
const anyItems = fc.array(anyItem, { maxLength: 25 })

function anyKnownItem(): fc.Arbitrary<unknown> {
  return fc
    .tuple(
      fc.constantFrom(...TYPES),
      fc.oneof(fc.constantFrom('1', '2', '', undefined), fc.string(), fc.jsonValue()),
      fc.dictionary(fc.constantFrom(...FIELDS), anyField, { maxKeys: 8 }),
    )
    .map(([type, id, fields]) => ({ ...fields, type, id }))
}

describe('for any items', () => {
  it('every call is followed at once by its one result, under an id of its own', () => {
    fc.assert(
      fc.property(anyItems, (items) => {
        const messages = project(items)
        const ids = new Set<string>()
        messages.forEach((message, index) => {
          const next = messages[index + 1]
          if (message.role === 'tool') expect(messages[index - 1]).toHaveProperty('tool_calls')
          if (message.role !== 'assistant' || !message.tool_calls) return
          const [call, ...others] = message.tool_calls
          expect(others).toEqual([])
          expect(next).toMatchObject({ role: 'tool', tool_call_id: call!.id })
          expect(call!.id).toMatch(/^[A-Za-z0-9_-]{1,40}$/)
          expect(call!.function.name).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
          expect(JSON.parse(call!.function.arguments)).toBeTypeOf('object')
          expect(ids.has(call!.id)).toBe(false)
          ids.add(call!.id)
        })
      }),
      { numRuns: 500 },
    )
  })

  it('no message is empty, except for one that carries reasoning', () => {
    fc.assert(
      fc.property(anyItems, (items) => {
        for (const message of project(items)) {
          const isThought = message.role === 'assistant' && (message.tool_calls || message.reasoning)
          if (!isThought) expect(message.content).not.toBe('')
        }
      }),
    )
  })

  it('the same items give the same bytes, whatever the order of their keys', () => {
    fc.assert(
      fc.property(anyItems, (items) => {
        expect(JSON.stringify(project(items.map(reverseKeys)))).toBe(JSON.stringify(project(items)))
      }),
    )
  })

  it('one at a time gives the same as all at once, and never takes a message back', () => {
    fc.assert(
      fc.property(anyItems, (items) => {
        const projector = new MessageProjector()
        const messages = items.flatMap((item) => projector.push(item as Item))
        expect([...messages, ...projector.end()]).toEqual(project(items))
      }),
    )
  })

  it('keeps every word of reasoning', () => {
    fc.assert(
      fc.property(anyItems, fc.nat(25), (items, at) => {
        const messages = project(items.toSpliced(at, 0, reasoning('a thought to keep')))
        expect(JSON.stringify(messages)).toContain('a thought to keep')
      }),
    )
  })

  it('can be made to alternate strictly, losing nothing', () => {
    fc.assert(
      fc.property(anyItems, (items) => {
        const before = project(items)
        const after = alternateRoles(before)
        after.forEach((message, index) => {
          if (message.role !== 'tool') expect(after[index + 1]?.role).not.toBe(message.role)
        })
        expect(after.filter(({ role }) => role === 'tool')).toEqual(
          before.filter(({ role }) => role === 'tool'),
        )
        for (const { content } of before) {
          if (content) expect(after.some((message) => message.content?.includes(content))).toBe(true)
        }
      }),
    )
  })
})

it('survives a value nested without end', () => {
  const deep = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`)
  expect(() =>
    project([
      { type: 'dynamicToolCall', tool: 't', arguments: deep },
      { type: 'x', deep },
    ]),
  ).not.toThrow()
})

function reverseKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reverseKeys)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, field]) => [key, reverseKeys(field)]),
  )
}
