import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { dynamicTools } from './dynamic-tools.ts'
import { type JsonSchemaValue, misfit } from './json-schema.ts'
import { defineTool, type InputOf } from './tool.ts'

const TIDES = {
  type: 'object',
  properties: {
    port: { type: 'string' },
    unit: { enum: ['m', 'ft'] },
    days: { type: 'array', items: { type: 'integer' } },
    kind: { const: 'high' },
    note: { type: ['string', 'null'] },
    when: {
      anyOf: [
        { type: 'string' },
        { type: 'object', properties: { hour: { type: 'number' } }, required: ['hour'] },
      ],
    },
    odd: { $ref: '#/x' },
  },
  required: ['port'],
} as const

interface Tides {
  port: string
  unit?: 'm' | 'ft'
  days?: number[]
  kind?: 'high'
  note?: string | null
  when?: string | { hour: number }
  odd?: unknown
}

describe('a JSON Schema', () => {
  it('says what a tool gets', () => {
    expectTypeOf<JsonSchemaValue<typeof TIDES>>().toEqualTypeOf<Tides>()
    expectTypeOf<InputOf<z.ZodObject<{ a: z.ZodString }>>>().toEqualTypeOf<{ a: string }>()
    expectTypeOf<JsonSchemaValue<{ type: string }>>().toEqualTypeOf<unknown>()
    defineTool({
      name: 'a',
      description: 'd',
      input: TIDES,
      handler: (input) => {
        expectTypeOf(input).toEqualTypeOf<Tides>()
        return ''
      },
    })
    defineTool({
      name: 'b',
      description: 'd',
      input: z.object({ n: z.number() }),
      handler: (input) => {
        expectTypeOf(input).toEqualTypeOf<{ n: number }>()
        return ''
      },
    })
  })

  it.each([
    [{ port: 'Brest' }, null],
    [
      {
        port: 'Brest',
        unit: 'm',
        days: [1, 2],
        kind: 'high',
        note: null,
        when: { hour: 1.5 },
        odd: [],
        more: 1,
      },
      null,
    ],
    [{}, 'the arguments lack port'],
    [{ port: 7 }, 'the arguments.port must be of type string'],
    [{ port: '', unit: 'km' }, 'the arguments.unit must be one of ["m","ft"]'],
    [{ port: '', days: [1, 2.5] }, 'the arguments.days[1] must be of type integer'],
    [{ port: '', kind: 'low' }, 'the arguments.kind must be "high"'],
    [{ port: '', note: 1 }, 'the arguments.note must be of type string or null'],
    [{ port: '', when: {} }, 'the arguments.when fits none of the forms it can have'],
    [[], 'the arguments must be of type object'],
    [null, 'the arguments must be of type object'],
  ])('is held against what came: %j', (value, problem) => {
    expect(misfit(value, TIDES)).toBe(problem)
  })

  it('goes to codex as it is, and what does not fit is told to the model', async () => {
    const ran: unknown[] = []
    const tools = dynamicTools([
      defineTool({
        name: 'tides',
        description: 'd',
        input: TIDES,
        handler: ({ port }) => {
          ran.push(port)
          return `high in ${port}`
        },
      }),
    ])
    expect(tools.dynamicTools).toEqual([
      { type: 'function', name: 'tides', description: 'd', inputSchema: TIDES },
    ])
    const call = (args: object) =>
      tools.call!(
        { threadId: 't', turnId: 'u', callId: 'c', namespace: null, tool: 'tides', arguments: args as never },
        { signal: new AbortController().signal, parent: null },
      )
    expect(await call({ port: 'Brest' })).toMatchObject({
      success: true,
      contentItems: [{ text: 'high in Brest' }],
    })
    expect(await call({ port: 1 })).toMatchObject({
      success: false,
      contentItems: [{ text: 'bad arguments: the arguments.port must be of type string' }],
    })
    expect(ran).toEqual(['Brest'])
  })
})
