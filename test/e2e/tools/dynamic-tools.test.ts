// Tools of the host program as dynamic tools of the real codex.
import { describe, expect, it } from 'vitest'
import { dynamicTools } from '../../../src/codex/index.ts'
import { customToolCall, functionCall, message, toolOutputs } from '../../../src/testing/index.ts'
import { openClient } from '../../support/open-client.ts'
import { openGate } from '../../support/open-gate.ts'
import { toolSet } from '../../support/tool-set.ts'

const experimental = { client: { experimental: true } }

describe('dynamic tools of the host', () => {
  it('answer whatever happens', async () => {
    const { tools, onCall, calls } = toolSet()
    const names = ['echo', 'broken', 'late', 'huge', 'picture', 'figures']
    const gate = await openGate(
      names.map((tool) => functionCall(tool, { text: 'hi' })),
      { ...experimental, thread: { tools: dynamicTools(tools, { onCall }) } },
    )
    const { outcome, told } = await gate.ask()
    expect(outcome).toMatchObject({ status: 'completed', text: 'fine' })
    const texts = told.map(({ text }) => text)
    expect(texts.map((text) => text.slice(0, 11))).toEqual([
      ...['here hi', 'no way in: ', 'late did no', 'xxxxxxxxxxx', 'a dot', '{"n":7}'],
    ])
    expect(texts[3]!.length).toBeLessThan(300_000)
    expect(JSON.stringify(gate.model.requests.at(-1)!.body.input)).toContain('data:image/png;base64,iVBOR')
    expect(calls.map(({ tool, outcome: end }) => `${tool} ${end}`).sort()).toEqual([
      ...['broken failed', 'echo ok', 'figures ok', 'huge ok', 'late timed-out', 'picture ok'],
    ])
    expect(gate.incidents).toEqual([])
  })

  it.each([
    ['gpt-5.5', functionCall('echo', { text: 'hi' })],
    [
      'gpt-6.1-sol',
      customToolCall('exec', "text(JSON.stringify(await tools.echo({ text: 'hi' })))", {
        namespace: 'functions',
      }),
    ],
  ])('are seen and called by %s', async (modelName, asking) => {
    const { tools, seen } = toolSet()
    const gate = await openGate(asking, { ...experimental, home: { modelName }, thread: { tools } })
    expect((await gate.ask()).outcome).toMatchObject({ status: 'completed', text: 'fine' })
    expect(JSON.stringify(gate.model.requests[0]!.body)).toContain('the tool echo')
    expect(JSON.stringify(gate.model.requests.at(-1)!.body.input)).toContain('here hi')
    expect(seen).toHaveLength(1)
  })

  it('learn of an interrupt in mid-call', async () => {
    const { tools, onCall, calls, seen } = toolSet()
    const { codex, cwd } = await openClient([functionCall('hang', {})], experimental)
    const thread = await codex.startThread({ cwd, tools: dynamicTools(tools, { onCall }) })
    const turn = await thread.startTurn('go')
    await expect.poll(() => seen.length).toBe(1)
    await turn.interrupt()
    expect(await turn.outcome).toMatchObject({ status: 'interrupted' })
    await expect.poll(() => calls.map(({ outcome }) => outcome)).toEqual(['cancelled'])
  })

  it('are answered again after a resume in a new process, and in a fork', async () => {
    const sets = [toolSet('first'), toolSet('second'), toolSet('third')] as const
    const { codex, cwd, open, model } = await openClient(
      (request) => (toolOutputs(request).length === 0 ? functionCall('echo', {}) : message('fine')),
      experimental,
    )
    const thread = await codex.startThread({ cwd, tools: sets[0].tools })
    await (await thread.startTurn('go')).outcome
    await codex.close()
    const next = await open()
    const resumed = await next.resumeThread(thread.id, { cwd, tools: sets[1].tools })
    await (await resumed.startTurn('go')).outcome
    const fork = await next.forkThread(thread.id, { cwd, tools: sets[2].tools })
    await (await fork.startTurn('go')).outcome
    const told = model.requests.map((request) => toolOutputs(request).at(-1)?.text).filter(Boolean)
    expect(told).toEqual(['first ', 'second ', 'third '])
  })

  it('need an experimental client, and say so', async () => {
    const { codex, cwd } = await openClient([])
    await expect(codex.startThread({ cwd, tools: toolSet().tools })).rejects.toMatchObject({
      code: 'experimental-method',
    })
  })
})
