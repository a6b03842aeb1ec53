// What the real codex asks of the program, not of a person: host tools, the time, tokens.
import { describe, expect, it } from 'vitest'
import { defineTool, dynamicTools, type ToolSchema } from '../../src/codex/index.ts'
import { functionCall, type ModelRequest, shell } from '../../src/testing/index.ts'
import { openGate } from '../support/open-gate.ts'

interface City {
  readonly city: string
}

/** By hand what a schema library would bring. */
const citySchema: ToolSchema<City> = {
  '~standard': {
    validate: (value) =>
      typeof Object(value).city === 'string'
        ? { value: value as City }
        : { issues: [{ message: 'no city' }] },
    jsonSchema: {
      input: () => ({ type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }),
    },
  },
}

const weather = defineTool({
  name: 'weather',
  description: 'the weather of a city',
  input: citySchema,
  timeoutMs: 200,
  handler: ({ city }, { signal }) => {
    if (city === 'Atlantis') throw new Error('it has sunk')
    if (city === 'Laputa') return new Promise((_, reject) => signal.addEventListener('abort', reject))
    return city === 'Oz' ? [{ type: 'text', text: 'green' }] : `sunny in ${city}`
  },
})

describe('a tool of the host', () => {
  it('is offered to the model, called with checked arguments, and its end is told either way', async () => {
    const calls = ['Paris', 'Oz', 'Atlantis', 'Laputa', 7].map((city) => functionCall('weather', { city }))
    const gate = await openGate([...calls, functionCall('weather', {})], {
      thread: { tools: [weather] },
      client: { experimental: true },
    })
    const { outcome, items, told } = await gate.ask()
    expect(outcome).toMatchObject({ status: 'completed', text: 'fine' })
    expect(told.map(({ text }) => text)).toEqual([
      'sunny in Paris',
      'green',
      'it has sunk',
      'weather did not answer within 200 ms',
      'bad arguments: no city',
      'bad arguments: no city',
    ])
    expect(items.map(({ type, status, success }) => [type, status, success]).sort()).toEqual([
      ...Array.from({ length: 2 }, () => ['dynamicToolCall', 'completed', true]),
      ...Array.from({ length: 4 }, () => ['dynamicToolCall', 'failed', false]),
    ])
    expect(gate.model.requests[0]!.body.tools).toContainEqual(
      expect.objectContaining({ name: 'weather', description: 'the weather of a city' }),
    )
    expect(gate.incidents).toEqual([])
  })

  it('that nobody handles, or that is not there, is told to be missing', async () => {
    const { dynamicTools: specs } = dynamicTools([weather])
    const other = dynamicTools([{ ...weather, name: 'tides' }])
    for (const handlers of [{}, { 'item/tool/call': other.call! }]) {
      const gate = await openGate(functionCall('weather', { city: 'Paris' }), {
        thread: { dynamicTools: specs! },
        client: { experimental: true, handlers },
      })
      const { outcome, items, told } = await gate.ask()
      expect(outcome).toMatchObject({ status: 'completed', text: 'fine' })
      expect(items).toMatchObject([{ type: 'dynamicToolCall', status: 'failed' }])
      expect(told[0]!.text).toMatch(/weather/)
    }
  })
})

describe('the time', () => {
  const home = {
    toml: '[features.current_time_reminder]\nenabled = true\nclock_source = "external"\n',
  }
  const reminders = ({ body }: ModelRequest) => /It is [^<]*UTC/.exec(JSON.stringify(body.input))?.[0]

  it('is told also when nobody handles it, and the turn goes on', async () => {
    const gate = await openGate(shell('true'), { home, client: { experimental: true } })
    expect((await gate.ask()).outcome).toMatchObject({ status: 'completed', text: 'fine' })
    const { currentTimeAt } = gate.replies('currentTime/read')[0] as { currentTimeAt: number }
    expect(Math.abs(currentTimeAt - Date.now() / 1_000)).toBeLessThan(60)
    expect(reminders(gate.model.requests[0]!)).toContain(new Date().toISOString().slice(0, 7))
  })

  it('that a handler fails to tell ends the turn, which says so', async () => {
    const handlers = { 'currentTime/read': () => Promise.reject(new Error('no clock')) }
    const gate = await openGate(shell('true'), { home, client: { experimental: true, handlers } })
    const { outcome } = await gate.ask()
    expect(outcome).toMatchObject({
      status: 'failed',
      error: { message: expect.stringContaining('the time could not be told') },
    })
    expect(gate.incidents).toMatchObject([{ type: 'request-refused', error: { message: 'no clock' } }])
  })

  it('is what a handler says', async () => {
    const handlers = { 'currentTime/read': () => ({ currentTimeAt: 86_400 }) }
    const gate = await openGate(shell('true'), { home, client: { experimental: true, handlers } })
    expect((await gate.ask()).outcome).toMatchObject({ status: 'completed' })
    expect(reminders(gate.model.requests[0]!)).toBe('It is 1970-01-02 00:00:00 UTC')
  })
})
