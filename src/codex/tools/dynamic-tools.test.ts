import { describe, expect, it } from 'vitest'
import { dynamicTools } from './dynamic-tools.ts'
import { defineTool, type Tool, type ToolDefinition, type ToolSchema } from './tool.ts'

const anything: ToolSchema<{ n?: number }> = {
  '~standard': {
    validate: (value) =>
      Object(value).n === 'bad' ? { issues: [{ message: 'bad n' }] } : { value: value as object },
    jsonSchema: { input: ({ target }) => ({ type: 'object', $comment: target }) },
  },
}

type Handler = ToolDefinition<typeof anything>['handler']

function tool(handler: Handler, timeoutMs = 90_000): Tool {
  return defineTool({ name: 'lookup', description: 'looks it up', input: anything, handler, timeoutMs })
}

function call(tools: Tool[], args: object = {}, name = 'lookup', signal = new AbortController().signal) {
  const place = { threadId: 'thread', turnId: 'turn', callId: 'call', namespace: null }
  return dynamicTools(tools).call!(
    { ...place, tool: name, arguments: args as never },
    { signal, parent: null },
  )
}

const said = (text: string, success: boolean) => ({ contentItems: [{ type: 'inputText', text }], success })

describe('host tools', () => {
  it('are described for codex', () => {
    expect(dynamicTools([tool(() => '')]).dynamicTools).toEqual([
      {
        type: 'function',
        name: 'lookup',
        description: 'looks it up',
        inputSchema: { type: 'object', $comment: 'draft-07' },
      },
    ])
  })

  it('answer with text or items, and know for whom they run', async () => {
    const seen: unknown[] = []
    const run: Handler = (input, { threadId, turnId, signal }) => {
      seen.push({ input, threadId, turnId, isAborted: signal.aborted })
      return 'found'
    }
    expect(await call([tool(run)], { n: 1 })).toEqual(said('found', true))
    expect(seen).toEqual([{ input: { n: 1 }, threadId: 'thread', turnId: 'turn', isAborted: false }])
    const image = { type: 'image', mimeType: 'image/png', data: new Uint8Array([1, 2]) } as const
    const item = { type: 'inputImage', imageUrl: 'data:image/png;base64,AQI=' }
    expect(await call([tool(() => [image])])).toEqual({ contentItems: [item], success: true })
    expect(await call([tool(() => ({ structured: { n: 1 } }))])).toEqual(said('{"n":1}', true))
  })

  it('of a sub-agent run for the thread that it works for', async () => {
    const seen: unknown[] = []
    const run: Handler = (_, { threadId, subAgentId }) => {
      seen.push({ threadId, subAgentId })
      return ''
    }
    const params = { threadId: 'sub', turnId: 'turn', callId: 'call', namespace: null, tool: 'lookup' }
    const place = { signal: new AbortController().signal, parent: { threadId: 'main', turnId: 'turn' } }
    await dynamicTools([tool(run)]).call!({ ...params, arguments: {} }, place as never)
    expect(seen).toEqual([{ threadId: 'main', subAgentId: 'sub' }])
  })

  it('fail with what was thrown, what was wrong, or that there is no such tool', async () => {
    const broken = new Error('it broke')
    expect(await call([tool(() => Promise.reject(broken))])).toEqual(said('it broke', false))
    expect(await call([tool(() => Promise.reject('plain'))])).toEqual(said('plain', false))
    expect(await call([tool(() => '')], { n: 'bad' })).toEqual(said('bad arguments: bad n', false))
    expect(await call([tool(() => '')], {}, 'tides')).toEqual(said('there is no tool tides', false))
  })

  it('that throw at once leave no timer behind to reject unheard', async () => {
    const unheard: unknown[] = []
    const hear = (reason: unknown) => unheard.push(reason)
    process.on('unhandledRejection', hear)
    const broken = tool(() => {
      throw new Error('at once')
    }, 1)
    expect(await call([broken])).toEqual(said('at once', false))
    expect(await call([tool(() => new Promise(() => {}), 20)])).toMatchObject({ success: false })
    process.off('unhandledRejection', hear)
    expect(unheard).toEqual([])
  })

  it('that are late fail, and learn that they are', async () => {
    let signal: AbortSignal | undefined
    const slow = tool((_, context) => {
      signal = context.signal
      return new Promise(() => {})
    }, 5)
    expect(await call([slow])).toEqual(said('lookup did not answer within 5 ms', false))
    expect(signal?.aborted).toBe(true)
  })

  it('learn when codex no longer waits', async () => {
    const controller = new AbortController()
    const patient = tool((_, { signal }) => {
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve('stopped')))
    })
    const called = call([patient], {}, 'lookup', controller.signal)
    await Promise.resolve()
    controller.abort()
    expect(await called).toEqual(said('the call was cancelled', false))
  })
})
