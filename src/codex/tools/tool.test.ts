import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { callTool, type ToolCall } from './call-tool.ts'
import { defineTool, isTool, type Tool, toolsByName } from './tool.ts'
import { resultOf } from './tool-output.ts'

const input = z.object({ n: z.number() })
const definition = { name: 'count', description: 'counts', input, handler: () => 'ok' }

async function called(tool: Tool, given: unknown, signal = new AbortController().signal) {
  const calls: ToolCall[] = []
  const place = { threadId: 'thread', turnId: null, subAgentId: null, callId: 'c', now: () => 7 }
  const result = await callTool(tool, given, { ...place, signal, onCall: (call) => calls.push(call) })
  return { result, call: calls[0]! }
}

describe('defineTool', () => {
  it('says its input as JSON Schema', () => {
    const tool = defineTool(definition)
    expect(tool.inputSchema).toMatchObject({ type: 'object', properties: { n: { type: 'number' } } })
    expect(isTool(tool)).toBe(true)
    expect(isTool(definition)).toBe(false)
  })

  it.each([
    [{ name: 'two words' }, 'cannot be called'],
    [{ name: 'mcp__x' }, 'cannot be called'],
    [{ name: 'x'.repeat(65) }, 'cannot be called'],
    [{ description: ' ' }, 'has no description'],
    [{ handler: undefined }, 'has no handler'],
    [{ timeoutMs: 0 }, 'timeoutMs'],
    [{ timeoutMs: Number.NaN }, 'timeoutMs'],
    [{ input: z.string() }, 'must be an object'],
    [{ input: { type: 'array' } }, 'must be an object'],
    [{ input: { '~standard': { validate: () => ({ value: 1 }) } } }, 'give inputSchema too'],
    [{ input: z.object({ when: z.date() }) }, 'cannot be said as JSON Schema'],
  ])('refuses what codex could not use: %j', (wrong, why) => {
    const define = () => defineTool({ ...definition, ...wrong } as never)
    expect(define).toThrow(
      expect.objectContaining({ code: 'bad-tool', message: expect.stringContaining(why) }),
    )
  })

  it('takes a JSON Schema beside a schema that has none', () => {
    const bare = { '~standard': { validate: (value: unknown) => ({ value }) } }
    const inputSchema = { type: 'object', properties: {} }
    expect(defineTool({ ...definition, input: bare, inputSchema }).inputSchema).toBe(inputSchema)
  })

  it('has each name once', () => {
    const tool = defineTool(definition)
    expect(() => toolsByName([tool, tool])).toThrow('two tools are called count')
    expect(() => toolsByName([definition as never])).toThrow('made with defineTool')
  })
})

describe('a call', () => {
  it('is recorded without secrets, and bounded', async () => {
    const tool = defineTool({ ...definition, input: { type: 'object' } })
    const { call } = await called(tool, { password: 'hunter2-hunter2', long: 'x'.repeat(5_000) })
    expect(call).toMatchObject({ tool: 'count', outcome: 'ok', error: null, startedAt: 7, durationMs: 0 })
    expect(call.arguments).not.toContain('hunter2-hunter2')
    expect(call.arguments.length).toBeLessThan(2_100)
  })

  it('names the argument that is wrong', async () => {
    const { result, call } = await called(defineTool(definition), { n: 'many' })
    expect(call.outcome).toBe('bad-arguments')
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('n: ') }] })
  })

  it.each([
    [new Error(''), 'it failed without a message'],
    ['plain', 'plain'],
    [undefined, 'undefined'],
  ])('that throws %s tells the model', async (thrown, text) => {
    const handler = () => {
      throw thrown
    }
    const { result, call } = await called(defineTool({ ...definition, handler }), { n: 1 })
    expect(call.outcome).toBe('failed')
    expect(result.content).toEqual([{ type: 'text', text }])
  })

  it('that nobody wants any more ends at once, also when the handler does not', async () => {
    const handler = () => new Promise<string>(() => {})
    const { call } = await called(defineTool({ ...definition, handler }), { n: 1 }, AbortSignal.abort())
    expect(call.outcome).toBe('cancelled')
  })
})

describe('a result', () => {
  it('is cut with a note', () => {
    const { content } = resultOf('😀'.repeat(200_000))
    const [piece] = content
    expect(piece).toMatchObject({
      text: expect.stringMatching(/\[cut: the first 262144 of 400000 characters\]$/),
    })
    const many = resultOf(Array.from({ length: 150 }, () => ({ type: 'text' as const, text: 'x' })))
    expect(many.content).toHaveLength(101)
    expect(many.content.at(-1)).toEqual({ type: 'text', text: '[50 more pieces left out]' })
    const image = { type: 'image' as const, mimeType: 'image/png', data: new Uint8Array(9_000_000) }
    expect(resultOf([image]).content).toEqual([
      { type: 'text', text: '[image of 12000000 base64 characters left out]' },
    ])
    expect(resultOf({ structured: { long: 'x'.repeat(300_000) } })).toMatchObject({ structured: null })
  })

  it('that is none is refused', () => {
    expect(resultOf(undefined as never).content).toEqual([{ type: 'text', text: '' }])
    for (const wrong of [7, { n: 1 }, { structured: [1] }, [{ type: 'video' }]])
      expect(() => resultOf(wrong as never)).toThrow(TypeError)
  })
})
