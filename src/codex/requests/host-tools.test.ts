import { describe, expect, it } from 'vitest'
import { type HostTool, hostTools, type ToolSchema } from './host-tools.ts'

const anything: ToolSchema<{ n?: number }> = {
  '~standard': {
    validate: (value) =>
      Object(value).n === 'bad' ? { issues: [{ message: 'bad n' }] } : { value: value as object },
    jsonSchema: { input: ({ target }) => ({ type: 'object', $comment: target }) },
  },
}

function tool(run: HostTool<{ n?: number }>['run'], timeoutMs?: number): HostTool<{ n?: number }> {
  return { name: 'lookup', description: 'looks it up', input: anything, run, ...(timeoutMs && { timeoutMs }) }
}

function call(
  tools: HostTool<{ n?: number }>[],
  args: object = {},
  name = 'lookup',
  signal = new AbortController().signal,
) {
  const place = { threadId: 'thread', turnId: 'turn', callId: 'call', namespace: null }
  return hostTools(tools).handle({ ...place, tool: name, arguments: args as never }, { signal, parent: null })
}

const said = (text: string, success: boolean) => ({ contentItems: [{ type: 'inputText', text }], success })

describe('host tools', () => {
  it('are described for codex', () => {
    expect(hostTools([tool(() => '')]).specs).toEqual([
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
    const run: HostTool<{ n?: number }>['run'] = (input, { threadId, turnId, signal }) => {
      seen.push({ input, threadId, turnId, isAborted: signal.aborted })
      return 'found'
    }
    expect(await call([tool(run)], { n: 1 })).toEqual(said('found', true))
    expect(seen).toEqual([{ input: { n: 1 }, threadId: 'thread', turnId: 'turn', isAborted: false }])
    const image = { type: 'inputImage', imageUrl: 'data:,' } as const
    expect(await call([tool(() => [image])])).toEqual({ contentItems: [image], success: true })
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
    expect(await called).toEqual(said('stopped', true))
  })
})
