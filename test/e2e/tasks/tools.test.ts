// Tools of the settings in tasks: modules, MCP servers, what is built in. The real codex calls them.
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  functionCall,
  lastUserText,
  type ModelRequest,
  message,
  toolOutputs,
} from '../../../src/testing/index.ts'
import { ALICE, allEvents, openTasks } from '../../support/open-tasks.ts'
import { HOST } from '../../support/tool-set.ts'

const MODULE = path.resolve('test/fixtures/weather-tools.mjs')
const MORTAL = {
  command: process.execPath,
  args: [path.resolve('test/fixtures/mortal-mcp-server.mjs')],
  default_tools_approval_mode: 'approve' as const,
}
const labels: string[] = []

const weather = (city: string, more: object = {}) =>
  functionCall('weather', { city, ...more }, { namespace: HOST })
const mortal = (tool: string) => functionCall(tool, {}, { namespace: 'mcp__mortal' })
const told = (request: ModelRequest) =>
  toolOutputs(request).map(({ text }) => text.replace(/^Wall.*\nOutput:\n?/, ''))

type Opened = Awaited<ReturnType<typeof openTasks>>

async function own(tasks: Opened['tasks'], taskId: string, method: string) {
  return (await allEvents(tasks, taskId))
    .filter((event) => event.method === method)
    .map(({ frame }) => JSON.parse(frame).params)
}

describe('a module of the settings', () => {
  it('is given to tasks that ask or have its label, again on resume and fork, and its calls are events', async () => {
    const { tasks, request, model, close, open } = await openTasks(
      (asked) =>
        toolOutputs(asked).length === 0 ? weather('Paris', { password: 'hunter2-hunter2' }) : message('fine'),
      { tools: { weather: { module: MODULE, labels: ['sailing'] } } },
    )
    const { id } = await tasks.start(request('go', { tools: ['weather'] }), ALICE)
    expect(await tasks.wait(id, {})).toMatchObject({ status: 'completed', tools: ['weather'] })
    const [call] = await own(tasks, id, 'drawbridge/tool-call')
    expect(call).toMatchObject({ tool: 'weather', outcome: 'ok', error: null, subAgentId: null })
    expect(call.arguments).toContain('"city":"Paris"')
    expect(JSON.stringify(await allEvents(tasks, id))).not.toContain('Bearer')
    const labelled = await tasks.start(request('go', { labels: ['sailing'] }), ALICE)
    expect(await tasks.wait(labelled.id, {})).toMatchObject({ status: 'completed', tools: ['weather'] })
    const fork = await tasks.fork(id, { prompt: 'again' }, ALICE)
    expect(await tasks.wait(fork.id, {})).toMatchObject({ status: 'completed', tools: ['weather'] })
    const without = await tasks.start(request('go'), ALICE)
    expect(await tasks.wait(without.id, {})).toMatchObject({ tools: [] })
    await close()
    const next = await open()
    await next.tasks.send(id, { input: 'once more', mode: 'queue' }, ALICE)
    await expect.poll(async () => (await next.tasks.get(id)).turnCount).toBe(2)
    expect(await next.tasks.wait(id, {})).toMatchObject({ status: 'completed' })
    const answers = model.requests.map((asked) => told(asked).at(-1)).filter((text) => text !== undefined)
    expect(answers.filter((text) => text === 'sunny in Paris')).toHaveLength(4)
    expect(await own(next.tasks, fork.id, 'drawbridge/tool-call')).toHaveLength(1)
    expect(await own(next.tasks, without.id, 'drawbridge/tool-call')).toEqual([])
  })

  it('that is broken, or not there, is told of, and tasks that want it are refused', async () => {
    const {
      tasks,
      request,
      told: lines,
    } = await openTasks([message('fine')], {
      tools: {
        gone: { module: 'nowhere.mjs', labels: ['tagged'] },
        empty: { module: path.resolve('test/fixtures/loaded-modules.cjs'), labels },
        twice: { module: MODULE, labels },
        again: { module: MODULE, labels },
        keyless: { server: { ...MORTAL, env_vars: ['NOT_SET_HERE'] }, labels },
      },
    })
    expect(lines.join('\n')).toMatch(/gone cannot be used: .*nowhere\.mjs cannot be loaded/)
    expect(lines.join('\n')).toMatch(/again cannot be used: it has a tool weather, and so has twice/)
    expect(lines.join('\n')).toMatch(/keyless cannot be used: the variable NOT_SET_HERE is not set/)
    const refused = (more: object) => tasks.start(request('go', more), ALICE)
    const reason = { code: 'bad-request', message: expect.stringContaining('nowhere.mjs') }
    await expect(refused({ tools: ['gone'] })).rejects.toMatchObject(reason)
    await expect(refused({ labels: ['tagged'] })).rejects.toMatchObject(reason)
    await expect(refused({ tools: ['tides'] })).rejects.toMatchObject({
      message: expect.stringContaining('there is no tool tides'),
    })
    const { id } = await refused({ tools: ['twice'] })
    expect(await tasks.wait(id, {})).toMatchObject({ status: 'completed' })
  })

  it('that was taken out of the settings fails its tasks with the reason', async () => {
    const tools: Record<string, { module: string; labels: string[] }> = {
      weather: { module: MODULE, labels },
    }
    const { tasks, request, close, open } = await openTasks(() => message('fine'), { tools })
    const { id } = await tasks.start(request('go', { tools: ['weather'] }), ALICE)
    await tasks.wait(id, {})
    await close()
    delete tools.weather
    const next = await open()
    await next.tasks.send(id, { input: 'more', mode: 'queue' }, ALICE)
    await expect.poll(async () => (await next.tasks.get(id)).status).toBe('failed')
    expect((await next.tasks.get(id)).failure?.message).toContain('there is no tool weather')
  })

  it('answers calls of a turn that began under an earlier service', async () => {
    const gate = Promise.withResolvers<void>()
    const { tasks, request, close, open, model } = await openTasks(
      async (asked) => {
        const outputs = toolOutputs(asked)
        if (outputs.length === 0) return weather('Rome')
        if (outputs.length === 1) await gate.promise
        return outputs.length === 1 ? weather('Oslo') : message('fine')
      },
      { tools: { weather: { module: MODULE, labels } } },
    )
    const { id } = await tasks.start(request('go', { tools: ['weather'] }), ALICE)
    await model.waitForRequests(2)
    await close()
    const next = await open()
    gate.resolve()
    expect(await next.tasks.wait(id, {})).toMatchObject({ status: 'completed' })
    expect(told(model.requests.at(-1)!)).toEqual(['sunny in Rome', 'sunny in Oslo'])
    expect(await own(next.tasks, id, 'drawbridge/tool-call')).toHaveLength(2)
  })
})

describe('an MCP server of the settings', () => {
  it('gets its variables and no others, runs outside the task’s folder, and shows none of it', async () => {
    const calls = [mortal('secret'), mortal('folder')]
    const { tasks, request, model, dataDir, isStored } = await openTasks(
      (asked) => (toolOutputs(asked).length === 0 ? calls : message('fine')),
      {
        tools: { mortal: { server: { ...MORTAL, env_vars: ['MORTAL_KEY'] }, labels } },
        env: { MORTAL_KEY: 'mk-very-secret-7261', OTHER_KEY: 'not for it' },
      },
    )
    const { id } = await tasks.start(request('go', { tools: ['mortal'] }), ALICE)
    expect(await tasks.wait(id, {})).toMatchObject({ status: 'completed' })
    expect(told(model.requests.at(-1)!)).toEqual(['19 characters, and undefined', dataDir])
    expect(await isStored('mk-very-secret-7261')).toBe(false)
    expect(await isStored('mortal-mcp-server')).toBe(false)
  })

  it('that dies in mid-call is started again within the turn, but not for ever', async () => {
    const script = ['die', 'alive', 'die', 'alive', 'die', 'alive', 'die', 'alive']
    const isBack: PromiseWithResolvers<void>[] = []
    const { tasks, request, model } = await openTasks(
      async (asked) => {
        const next = script[toolOutputs(asked).length]
        if (next === undefined) return message('fine')
        if (next === 'alive') await isBack[Math.floor(toolOutputs(asked).length / 2)]!.promise
        return mortal(next)
      },
      { tools: { mortal: { server: MORTAL, labels } } },
    )
    for (const _ of script) isBack.push(Promise.withResolvers())
    const { id } = await tasks.start(request('go', { tools: ['mortal'] }), ALICE)
    const kinds = async () => (await own(tasks, id, 'drawbridge/incident')).map(({ type }) => type)
    for (let death = 1; death <= 4; death++) {
      const ends = ['mcp-server-reloaded', 'mcp-server-dead']
      await expect
        .poll(async () => (await kinds()).filter((type) => ends.includes(type)).length)
        .toBeGreaterThanOrEqual(death)
      isBack[death - 1]!.resolve()
    }
    expect(await tasks.wait(id, {})).toMatchObject({ status: 'completed' })
    const answers = told(model.requests.at(-1)!)
    expect([1, 3, 5].map((index) => answers[index])).toEqual(['alive', 'alive', 'alive'])
    expect(answers[7]).toContain('Transport closed')
    expect((await kinds()).filter((type) => type === 'mcp-server-reloaded')).toHaveLength(3)
  })
})

describe('built-in tools', () => {
  const builtIn = (tool: string, args: object) => functionCall(tool, args, { namespace: HOST })

  it('start a task below this one and follow it; the new one may do no more', async () => {
    const { tasks, request, model } = await openTasks((asked) => {
      const outputs = told(asked)
      if (lastUserText(asked) === 'CHILD') return message('I am the child')
      if (outputs.length === 0)
        return builtIn('drawbridge_start_task', { prompt: 'CHILD', sandbox: 'workspace-write' })
      if (outputs.length === 1) return builtIn('drawbridge_start_task', { prompt: 'CHILD', title: 'below' })
      if (outputs.length > 2) return message('fine')
      const { task_id } = JSON.parse(outputs[1]!)
      return builtIn('drawbridge_wait_task', { task_id, timeout_seconds: 60 })
    })
    const held = { confined: true, allow: [{ path: '/usr/share', access: 'ro' as const }] }
    const policy = { ...held, network: true }
    const parent = await tasks.start(request('PARENT', { tools: ['drawbridge_tasks'], policy }), ALICE)
    expect(await tasks.wait(parent.id, {})).toMatchObject({ status: 'completed' })
    const answers = told(model.requests.findLast((asked) => lastUserText(asked) === 'PARENT')!)
    expect(answers[0]).toContain('this task is read-only itself')
    const { items } = await tasks.list({ parent: parent.id })
    expect(items).toMatchObject([
      {
        title: 'below',
        status: 'completed',
        parent: parent.id,
        depth: 1,
        tools: [],
        policy: { ...held, sandbox: 'read-only' },
      },
    ])
    expect(items[0]!.policy).not.toHaveProperty('network')
    expect(JSON.parse(answers[2]!)).toMatchObject({ status: 'completed', answer: 'I am the child' })
  })

  it('see only tasks that this one started', async () => {
    const stranger = Promise.withResolvers<string>()
    const { tasks, request, model } = await openTasks(async (asked) => {
      if (lastUserText(asked) === 'STRANGER' || told(asked).length > 0) return message('fine')
      return builtIn('drawbridge_wait_task', { task_id: await stranger.promise })
    })
    stranger.resolve((await tasks.start(request('STRANGER'), ALICE)).id)
    const { id } = await tasks.start(request('go', { tools: ['drawbridge_tasks'] }), ALICE)
    await tasks.wait(id, {})
    const asked = model.requests.findLast((each) => lastUserText(each) === 'go')!
    expect(told(asked)[0]).toContain('this task has not started')
  })

  it('tell people something', async () => {
    const { tasks, request } = await openTasks((asked) =>
      told(asked).length === 0 ? builtIn('drawbridge_notify', { message: 'Look at this' }) : message('fine'),
    )
    const { id } = await tasks.start(
      request('go', { tools: ['drawbridge_notify'], notify: ['local'] }),
      ALICE,
    )
    await tasks.wait(id, {})
    const { items } = await tasks.notices({ taskId: id })
    const notice = items.find(({ cause }) => cause === 'message')
    expect(notice?.text).toContain('Look at this')
  })

  it('are not there for a task that did not ask', async () => {
    const { tasks, request, model } = await openTasks([message('fine')])
    const { id } = await tasks.start(request('go'), ALICE)
    await tasks.wait(id, {})
    expect(JSON.stringify(model.requests[0]!.body)).not.toContain('drawbridge_')
  })
})
