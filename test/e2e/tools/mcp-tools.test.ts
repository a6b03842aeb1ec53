// Tools of the host program as an MCP server on loopback, called by the real codex.
import { globSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  customToolCall,
  functionCall,
  lastUserText,
  type ModelRequest,
  message,
  toolOutputs,
} from '../../../src/testing/index.ts'
import { openToolServer } from '../../../src/tools/index.ts'
import { openClient } from '../../support/open-client.ts'
import { openGate } from '../../support/open-gate.ts'
import { HOST, toolSet } from '../../support/tool-set.ts'

async function toolServer() {
  const server = await openToolServer()
  onTestFinished(() => server.close())
  return server
}

const call = (tool: string, args: object = {}) => functionCall(tool, args, { namespace: HOST })
const offered = ({ body }: ModelRequest) => JSON.stringify(body)
const told = (request: ModelRequest) =>
  toolOutputs(request).map(({ text }) => text.replace(/^Wall.*\nOutput:\n?/, ''))

/** Codex keeps no secret of ours on disk: neither in histories nor in its logs. */
function filesWith(folder: string, text: string): string[] {
  const files = globSync('**/*', { cwd: folder }).map((name) => path.join(folder, name))
  return files.filter((file) => statSync(file).isFile() && readFileSync(file).includes(text))
}

describe('tools of the host over MCP', () => {
  it('are called and answer whatever happens; nothing is asked, nothing is written to config.toml', async () => {
    const server = await toolServer()
    const { tools, onCall, calls } = toolSet()
    const given = server.give(tools, { onCall })
    const names = ['echo', 'broken', 'late', 'huge', 'picture', 'figures']
    const gate = await openGate(
      [...names.map((tool) => call(tool, { text: 'hi' })), call('echo', { text: 7 })],
      {
        thread: { tools: given },
      },
    )
    const config = path.join(gate.home.path, 'config.toml')
    const before = readFileSync(config, 'utf8')
    const { outcome, items, asked } = await gate.ask()
    expect(outcome).toMatchObject({ status: 'completed', text: 'fine' })
    const answers = told(gate.model.requests.at(-1)!)
    expect(answers[0]).toBe('here hi')
    expect(answers[1]).toMatch(/^no way in: token=/)
    expect(answers[1]).not.toContain('abcdefghij')
    expect(answers[2]).toBe('late did not answer within 300 ms')
    expect(answers[3]!.length).toBeLessThan(300_000)
    expect(answers[4]).toContain('a dot')
    expect(answers[5]).toBe('{"n":7}')
    expect(answers[6]).toContain('bad arguments: text:')
    expect(JSON.stringify(gate.model.requests.at(-1)!.body.input)).toContain('data:image/png;base64,iVBOR')
    const huge = JSON.stringify(items.find(({ tool }) => tool === 'huge').result)
    expect(huge).toContain('[cut: the first 262144 of 20971520 characters]')
    expect(calls.map(({ tool, outcome: end }) => [tool, end])).toEqual([
      ...[
        ['echo', 'ok'],
        ['broken', 'failed'],
        ['late', 'timed-out'],
        ['huge', 'ok'],
      ],
      ...[
        ['picture', 'ok'],
        ['figures', 'ok'],
        ['echo', 'bad-arguments'],
      ],
    ])
    expect(asked).toEqual([])
    expect(readFileSync(config, 'utf8')).toBe(before)
    const [, bearer] = /Bearer ([^"]*)/.exec(JSON.stringify(given.mcpServers))!
    expect(filesWith(gate.home.path, bearer!.slice(0, 40))).toEqual([])
  })

  it.each([
    ['gpt-5.5', call('echo', { text: 'hi' })],
    [
      'gpt-6.1-sol',
      customToolCall('exec', "text((await tools.mcp__host_tools__echo({ text: 'hi' })).content[0].text)", {
        namespace: 'functions',
      }),
    ],
  ])('are seen and called by %s', async (modelName, asking) => {
    const server = await toolServer()
    const { tools, calls, onCall } = toolSet()
    const gate = await openGate(asking, {
      home: { modelName },
      thread: { tools: server.give(tools, { onCall }) },
    })
    const { outcome } = await gate.ask()
    expect(outcome).toMatchObject({ status: 'completed', text: 'fine' })
    expect(offered(gate.model.requests[0]!)).toContain('the tool echo')
    expect(JSON.stringify(gate.model.requests.at(-1)!.body.input)).toContain('here hi')
    expect(calls).toMatchObject([{ tool: 'echo', outcome: 'ok' }])
  })

  it('are reached by sub-agents, in the name of their thread', async () => {
    const server = await toolServer()
    const { tools, calls, onCall } = toolSet()
    const agents = { namespace: 'multi_agent_v1' }
    const { codex, cwd, model } = await openClient((request) => {
      const outputs = toolOutputs(request)
      if (lastUserText(request).includes('CHILD'))
        return outputs.length === 0 ? call('echo', { text: 'from below' }) : message('I am the child')
      if (outputs.length === 0) return functionCall('spawn_agent', { message: 'CHILD' }, agents)
      const { agent_id } = JSON.parse(outputs[0]!.text)
      if (outputs.length === 1)
        return functionCall('wait_agent', { targets: [agent_id], timeout_ms: 15_000 }, agents)
      return message('I am the parent')
    })
    const thread = await codex.startThread({ cwd, tools: server.give(tools, { onCall }) })
    const turn = await thread.startTurn('PARENT')
    expect(await turn.outcome).toMatchObject({ status: 'completed', text: 'I am the parent' })
    expect(calls).toMatchObject([{ tool: 'echo', outcome: 'ok', threadId: thread.id }])
    const child = calls[0]!.subAgentId!
    expect(codex.parentOf(child)).toEqual({ threadId: thread.id, turnId: turn.id })
    expect(model.requests.filter(({ threadId }) => threadId === child).flatMap(told)).toContain(
      'here from below',
    )
  })

  it('learn of an interrupt in mid-call', async () => {
    const server = await toolServer()
    const { tools, calls, onCall, seen } = toolSet()
    const { codex, cwd } = await openClient([call('hang')])
    const thread = await codex.startThread({ cwd, tools: server.give(tools, { onCall }) })
    const turn = await thread.startTurn('go')
    await expect.poll(() => seen.length).toBe(1)
    expect(seen[0]!.context.signal.aborted).toBe(false)
    await turn.interrupt()
    expect(await turn.outcome).toMatchObject({ status: 'interrupted' })
    await expect.poll(() => calls.map(({ outcome }) => outcome)).toEqual(['cancelled'])
    expect(seen[0]!.context.signal.aborted).toBe(true)
  })

  it('learn that codex has died in mid-call', async () => {
    const server = await toolServer()
    const { tools, calls, onCall, seen } = toolSet()
    const { codex, cwd } = await openClient([call('hang')])
    const thread = await codex.startThread({ cwd, tools: server.give(tools, { onCall }) })
    const turn = await thread.startTurn('go')
    await expect.poll(() => seen.length).toBe(1)
    process.kill(codex.pid!, 'SIGKILL')
    expect(await turn.outcome).toMatchObject({ status: 'lost' })
    await expect.poll(() => calls.map(({ outcome }) => outcome)).toEqual(['cancelled'])
  })

  it('are there again after a resume in a new process and in a fork, each on its own bearer', async () => {
    const server = await toolServer()
    const first = toolSet('first')
    const { codex, cwd, open, model } = await openClient((request) =>
      toolOutputs(request).length === 0 ? call('echo') : message('fine'),
    )
    const ask = async (thread: Awaited<ReturnType<typeof codex.startThread>>) =>
      (await (await thread.startTurn('go')).outcome).status
    const given = server.give(first.tools)
    const thread = await codex.startThread({ cwd, tools: given })
    expect(await ask(thread)).toBe('completed')
    await codex.close()
    const next = await open()
    const second = toolSet('second')
    const resumed = await next.resumeThread(thread.id, { cwd, tools: server.give(second.tools) })
    expect(await ask(resumed)).toBe('completed')
    const third = toolSet('third')
    const fork = await next.forkThread(thread.id, { cwd, tools: server.give(third.tools) })
    expect(await ask(fork)).toBe('completed')
    expect(model.requests.map((request) => told(request).at(-1)).filter(Boolean)).toEqual([
      ...['first ', 'second ', 'third '],
    ])
    expect(third.seen[0]!.context.threadId).toBe(fork.id)
  })

  it('of two threads on one server are told apart', async () => {
    const server = await toolServer()
    const sets = [toolSet('one'), toolSet('two')]
    const { codex, cwd, model } = await openClient((request) =>
      toolOutputs(request).length === 0 ? call('echo') : message('fine'),
    )
    const threads = await Promise.all(
      sets.map(({ tools, onCall }) => codex.startThread({ cwd, tools: server.give(tools, { onCall }) })),
    )
    const turns = await Promise.all(threads.map((thread) => thread.startTurn('go')))
    await Promise.all(turns.map((turn) => turn.outcome))
    for (const [index, mark] of ['one ', 'two '].entries()) {
      const { id } = threads[index]!
      expect(sets[index]!.calls.map(({ threadId }) => threadId)).toEqual([id])
      expect(told(model.requests.findLast(({ threadId }) => threadId === id)!)).toEqual([mark])
    }
  })

  it("with another thread's bearer are refused", async () => {
    const server = await toolServer()
    const [mine, other] = [toolSet('mine'), toolSet('other')]
    const { codex, cwd, model } = await openClient((request) =>
      toolOutputs(request).length === 0 ? call('echo') : message('fine'),
    )
    const stolen = server.give(mine.tools)
    await codex.startThread({ cwd, tools: stolen })
    const own = server.give(other.tools)
    // As a thread that has got hold of it.
    const thread = await codex.startThread({
      cwd,
      tools: { mcpServers: stolen.mcpServers, opened: (it) => own.opened(it) },
    })
    await (await thread.startTurn('go')).outcome
    expect(told(model.requests.at(-1)!)).toEqual(['this tool belongs to another thread'])
    expect([...mine.seen, ...other.seen]).toEqual([])
  })
})
