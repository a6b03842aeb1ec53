// `drawbridge tools`, tasks that have them, and a service that is killed in the middle of a call.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import type { CalledTool, ToolSource } from '../../../src/api/index.ts'
import { functionCall, type ModelScript, message, toolOutputs } from '../../../src/testing/index.ts'
import { serviceStage } from '../../support/service-stage.ts'
import { HOST } from '../../support/tool-set.ts'

const tool = (name: string, args: object = {}) => functionCall(name, args, { namespace: HOST })

async function toolStage(script: ModelScript) {
  const stage = await serviceStage(script)
  mkdirSync(stage.dataDir, { recursive: true, mode: 0o700 })
  const tools = {
    weather: { module: path.resolve('test/fixtures/weather-tools.mjs'), labels: ['sailing'] },
    broken: { module: 'nowhere.mjs' },
  }
  writeFileSync(path.join(stage.dataDir, 'settings.json'), JSON.stringify({ tools }), { mode: 0o600 })
  return stage
}

it('lists tools and calls them; what is wrong is told there and by doctor', async () => {
  const { cli, json } = await toolStage([])
  const found = await json<ToolSource[]>('tools', 'list')
  expect(found.map(({ name, kind, problem }) => [name, kind, problem === null])).toEqual([
    ['weather', 'module', true],
    ['broken', 'module', false],
    ['drawbridge_tasks', 'built-in', true],
    ['drawbridge_notify', 'built-in', true],
    ['drawbridge_deliver', 'built-in', true],
    ['drawbridge_report', 'built-in', true],
    ['drawbridge_caller', 'built-in', true],
    ['drawbridge_caller_answers', 'built-in', true],
  ])
  expect((await cli(['tools', 'list'])).stdout).toMatch(
    /broken\s+module\s+–\s+cannot be used: .*nowhere\.mjs/,
  )
  const called = await json<CalledTool>('tools', 'call', 'weather', '{"city":"Oslo"}')
  expect(called).toMatchObject({ outcome: 'ok', content: [{ text: 'sunny in Oslo' }] })
  expect(await cli(['tools', 'call', 'weather', '{"city":"Atlantis"}'])).toMatchObject({
    code: 1,
    stdout: 'it has sunk\n',
  })
  expect(await cli(['tools', 'call', 'weather', 'Oslo'])).toMatchObject({ code: 2 })
  expect((await cli(['tools', 'call', 'drawbridge_notify', '{"message":"x"}'])).stderr).toContain(
    'there is no tool drawbridge_notify in a module',
  )
  const { checks } = JSON.parse((await cli(['doctor', '--json'])).stdout)
  const tools = checks.filter(({ id }: { id: string }) => id === 'tools')
  expect(tools.map(({ status }: { status: string }) => status)).toEqual(['ok', 'warn'])
})

it('gives a task what it asks for, and refuses what cannot be used', async () => {
  const { cli, json, start, model } = await toolStage((request) =>
    toolOutputs(request).length === 0 ? tool('weather', { city: 'Oslo' }) : message('It is sunny.'),
  )
  const refused = await cli(['task', 'start', '--tool', 'broken', 'go'])
  expect(refused.code).not.toBe(0)
  expect(refused.stderr).toContain('the tool broken cannot be used')
  const { id } = await start('how is it?', '--tool', 'weather')
  expect((await cli(['task', 'wait', id])).stdout).toBe('It is sunny.\n')
  expect((await cli(['task', 'show', id])).stdout).toMatch(/tools\s+weather/)
  expect(toolOutputs(model.requests.at(-1)!)[0]!.text).toContain('sunny in Oslo')
  expect((await json('task', 'show', id)) as unknown).toMatchObject({ task: { tools: ['weather'] } })
})

it('a call that the killed service was in the middle of fails, and the next one is answered by the next service', async () => {
  const isBack = Promise.withResolvers<void>()
  const stage = await toolStage(async (request) => {
    const outputs = toolOutputs(request)
    if (outputs.length === 0) return tool('forecast')
    if (outputs.length === 1) await isBack.promise
    return outputs.length === 1 ? tool('weather', { city: 'Rome' }) : message('fine')
  })
  const { start, record, json, cli, model, dataDir, env } = stage
  const log = path.join(dataDir, 'weather.log')
  env.WEATHER_LOG = log
  const { id } = await start('go', '--tool', 'weather')
  await expect
    .poll(() => existsSync(log) && readFileSync(log, 'utf8'), { timeout: 20_000 })
    .toContain('forecast begins')
  process.kill(record().pid, 'SIGKILL')
  await model.waitForRequests(2, { timeoutMs: 20_000 })
  await json('task', 'list')
  isBack.resolve()
  expect(await cli(['task', 'wait', id])).toMatchObject({ code: 0, stdout: 'fine\n' })
  const [lost, answered] = toolOutputs(model.requests.at(-1)!).map(({ text }) => text)
  expect(lost).toMatch(/error/i)
  expect(answered).toContain('sunny in Rome')
})
