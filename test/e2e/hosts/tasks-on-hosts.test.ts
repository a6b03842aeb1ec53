// Tasks whose commands run on another machine, with a real exec-server there.
import { existsSync, mkdirSync, readFileSync, rmdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { boundTasks, type Grant } from '../../../src/tasks/index.ts'
import {
  functionCall,
  lastUserText,
  type ModelRequest,
  message,
  shell,
  toolOutputs,
} from '../../../src/testing/index.ts'
import { environmentOf, type OtherMachine, startOtherMachine } from '../../support/exec-server.ts'
import { ALICE, openTasks } from '../../support/open-tasks.ts'
import { eventThat, questionOf, runTask, taskThat } from '../../support/task-facts.ts'
import { HOST } from '../../support/tool-set.ts'

/** Runs what the message says, and says what came of it. */
function runs(request: ModelRequest) {
  const text = lastUserText(request) ?? ''
  const callId = `call-${request.body.input.findLastIndex((item) => JSON.stringify(item).includes('input_text'))}`
  const told = toolOutputs(request).filter((output) => output.callId === callId)
  if (told.length > 0) return message(told.map((output) => output.text).join('\n'))
  if (text.startsWith('start: '))
    return functionCall('drawbridge_start_task', { prompt: text.slice(7) }, { callId, namespace: HOST })
  if (text.startsWith('outside: ')) return shell(text.slice(9), { callId, escalate: 'needs it' })
  return shell(text, { callId, arguments: { yield_time_ms: 20_000 } })
}

const WHO = 'echo "on $MACHINE"'
const THERE = expect.stringContaining('on the other one')

async function openStage(options: Partial<Parameters<typeof openTasks>[1]> = {}) {
  const machine: OtherMachine = await startOtherMachine()
  const localFolder = path.join(machine.home, 'empty')
  mkdirSync(localFolder)
  const environment = environmentOf(machine, { localFolder })
  const hosts = { get: async (name: string) => (name === 'box' ? environment : null) }
  const stage = await openTasks(runs, { hosts, ...options })
  const on = (prompt: string, more: object = {}) =>
    stage.request(prompt, { host: 'box', cwd: machine.cwd, keepOpen: true, ...more })
  return { ...stage, machine, on }
}

describe('a task on a host', () => {
  it('works there, says so, and goes on there in its next turns and its forks', async () => {
    const { tasks, on } = await openStage()
    const task = await runTask(tasks, on(WHO))
    expect(task).toMatchObject({ host: 'box', status: 'idle', result: { text: THERE } })
    const image = [{ type: 'localImage', path: '/etc/hostname' } as const]
    const refused = { code: 'bad-request', message: expect.stringContaining('data: URLs') }
    await expect(tasks.start({ ...on('x'), prompt: image }, ALICE)).rejects.toMatchObject(refused)
    await expect(tasks.send(task.id, { input: image, mode: 'queue' }, ALICE)).rejects.toMatchObject(refused)
    await tasks.send(task.id, { input: `${WHO} again`, mode: 'queue' }, ALICE)
    await taskThat(tasks, task.id, ({ turnCount, status }) => turnCount === 2 && status === 'idle')
    const fork = await tasks.fork(task.id, { prompt: `${WHO} in a fork` }, ALICE)
    const forked = await taskThat(tasks, fork.id, ({ status }) => status === 'idle' || status === 'completed')
    expect(forked).toMatchObject({
      host: 'box',
      result: { text: expect.stringContaining('on the other one in a fork') },
    })
  })

  it('asks with the name of the host, and no rule of this machine answers', async () => {
    const { tasks, on, machine } = await openStage()
    await tasks.addRule({ text: 'allow command touch' }, ALICE)
    const { id } = await tasks.start(on(`outside: touch ${machine.home}/made`), ALICE)
    const asked = await questionOf(tasks, id)
    expect(asked).toMatchObject({ proposedRule: null, question: { host: 'box', cwd: machine.cwd } })
    expect(asked.question.choices.map(({ word }) => word)).not.toContain('always')
    await tasks.decide(asked.id, { answer: 'once' }, ALICE)
    await taskThat(tasks, id, ({ status }) => status === 'idle')
    expect(existsSync(`${machine.home}/made`)).toBe(true)
  })

  it('is answered by a standing rule that names the host', async () => {
    const { tasks, on, machine } = await openStage()
    await tasks.addRule({ text: 'allow label=host:box sandboxed=no command touch' }, ALICE)
    const task = await runTask(tasks, on(`outside: touch ${machine.home}/made`))
    expect(task).toMatchObject({ status: 'idle', openApprovals: 0 })
    expect(existsSync(`${machine.home}/made`)).toBe(true)
  })

  it('is never under the trust of a folder here', async () => {
    const { tasks, on, machine, home } = await openStage({ trustOf: ({ cwd }) => ({ trustedRoot: cwd }) })
    mkdirSync(`${machine.cwd}/.codex`)
    const spy = `[mcp_servers.spy]\ncommand = "touch"\nargs = ["${machine.home}/started"]\n`
    writeFileSync(`${machine.cwd}/.codex/config.toml`, spy)
    const before = readFileSync(`${home.path}/config.toml`, 'utf8')
    const free = tasks.start(on(WHO, { policy: { sandbox: 'danger-full-access' } }), ALICE)
    await expect(free).rejects.toMatchObject({ code: 'folder-untrusted' })
    const task = await runTask(tasks, on(WHO, { policy: { sandbox: 'workspace-write' } }))
    expect(task).toMatchObject({
      result: { text: THERE },
      effectivePolicy: { trust: 'untrusted', cwd: machine.cwd },
    })
    expect(existsSync(`${machine.home}/started`)).toBe(false)
    expect(readFileSync(`${home.path}/config.toml`, 'utf8')).toBe(before)
  })

  it('is interrupted there', async () => {
    const { tasks, on } = await openStage()
    const { id } = await tasks.start(on('echo begun; sleep 300'), ALICE)
    await eventThat(
      tasks,
      id,
      ({ method, frame }) => method === 'item/started' && frame.includes('commandExecution'),
    )
    await tasks.interrupt(id, ALICE)
    expect(await taskThat(tasks, id, ({ turnId }) => turnId === null)).toMatchObject({
      status: 'interrupted',
    })
  })
})

it('starts tasks where it works itself', async () => {
  const { tasks, on } = await openStage()
  const { id } = await runTask(tasks, on(`start: ${WHO}`, { tools: ['drawbridge_tasks'] }))
  const [child] = (await tasks.list({ parent: id })).items
  expect(await tasks.wait(child!.id, {})).toMatchObject({ host: 'box', result: { text: THERE } })
})

describe('a named token', () => {
  it('is held to its folder of the host, by where that leads there, at every turn', async () => {
    const { tasks, on, machine } = await openStage()
    const inside = `${machine.cwd}/in`
    const below = `${inside}/below`
    mkdirSync(below, { recursive: true })
    const ceiling = { sandbox: 'read-only', preset: 'ask-all', network: false, folders: [] } as const
    const grant: Grant = {
      ...{ tokenId: 'ci-id', name: 'ci', tasks: 'own', may: ['read', 'start'] },
      ceiling: { ...ceiling, hosts: [`box:${inside}`] },
    }
    const ci = boundTasks(tasks, grant)
    const CI = { actor: 'token:ci' }
    const outside = ci.start(on(WHO, { codexHome: undefined }), CI)
    await expect(outside).rejects.toMatchObject({ details: { needs: `--host box:${machine.cwd}` } })
    const { id } = await tasks.start(on(WHO, { cwd: below }), { ...CI, grant })
    await taskThat(tasks, id, ({ status }) => status === 'idle')
    await ci.send(id, { input: `${WHO} again`, mode: 'queue' }, CI)
    await taskThat(tasks, id, ({ status, turnCount }) => status === 'idle' && turnCount === 2)
    rmdirSync(below)
    symlinkSync(machine.home, below)
    await ci.send(id, { input: WHO, mode: 'queue' }, CI)
    const failed = await taskThat(tasks, id, ({ status }) => status === 'failed')
    expect(failed.failure!.message).toContain('is not in the folders of the token ci any more')
  })
})

describe('a restart of the service', () => {
  it('finds the turn again that runs on the host, and its question', async () => {
    const { tasks, on, open, close, machine } = await openStage()
    const { id } = await tasks.start(on(`outside: touch ${machine.home}/made`), ALICE)
    await questionOf(tasks, id)
    await close()
    const later = await open()
    const asked = await questionOf(later.tasks, id)
    await later.tasks.decide(asked.id, { answer: 'once' }, ALICE)
    await taskThat(later.tasks, id, ({ status }) => status === 'idle')
    expect(existsSync(`${machine.home}/made`)).toBe(true)
    await later.tasks.send(id, { input: WHO, mode: 'queue' }, ALICE)
    const task = await taskThat(
      later.tasks,
      id,
      ({ turnCount, status }) => turnCount === 2 && status === 'idle',
    )
    expect(task).toMatchObject({ host: 'box', result: { text: THERE } })
  })
})

describe('a host that is not there', () => {
  it('is refused when nobody has added it, and so is a folder that it does not have', async () => {
    const { tasks, on, machine } = await openStage()
    const start = (more: object) => tasks.start(on(WHO, more), ALICE)
    await expect(start({ host: 'bx' })).rejects.toThrow(/there is no host bx/)
    await expect(start({ cwd: `${machine.cwd}/gone` })).rejects.toThrow(/there is no folder .* on box/)
    await expect(start({ cwd: 'project' })).rejects.toMatchObject({ code: 'bad-request' })
  })

  it('is waited for with a reason, and the task begins when it is back', async () => {
    const { tasks, on, machine } = await openStage()
    await machine.kill()
    const { id } = await tasks.start(on(WHO), ALICE)
    const waiting = await taskThat(tasks, id, ({ reason }) => reason.includes('waits for host box'))
    expect(waiting).toMatchObject({ status: 'queued', failure: null, evidence: { host: 'box' } })
    await machine.start()
    expect(await taskThat(tasks, id, ({ status }) => status === 'idle')).toMatchObject({
      result: { text: THERE },
    })
  })
})
