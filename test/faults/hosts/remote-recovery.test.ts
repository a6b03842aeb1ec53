// Codex on a host goes on without us, or dies without us: what the service makes of it when it is back.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { DurableTasks } from '../../../src/tasks/index.ts'
import { ALICE, allEvents } from '../../support/open-tasks.ts'
import { remoteTasks, tasksOn } from '../../support/ssh/remote-tasks.ts'
import { saysWhatItRan } from '../../support/ssh/says-what-it-ran.ts'
import { eventThat, questionOf, runTask, taskThat } from '../../support/task-facts.ts'

type Stage = Pick<Awaited<ReturnType<typeof remoteTasks>>, 'tasks' | 'on'>

async function working({ tasks, on }: Stage, command: string): Promise<string> {
  const { id } = await tasks.start(on(command), ALICE)
  await eventThat(
    tasks,
    id,
    ({ method, frame }) => method === 'item/started' && frame.includes('commandExecution'),
  )
  return id
}

const atRest = (tasks: DurableTasks, id: string) =>
  taskThat(tasks, id, ({ turnId, status }) => turnId === null && status !== 'queued' && status !== 'starting')

function recordsIn(dataDir: string): string[] {
  return readdirSync(path.join(dataDir, 'ssh/app-servers')).map((name) =>
    path.join(dataDir, 'ssh/app-servers', name),
  )
}

const APP_SERVER = /codex app-server/

describe('a service that comes back', () => {
  it('finds the turns on a host as they are: at work, done meanwhile, or asking; one that is away is waited for', async () => {
    const stage = await remoteTasks(saysWhatItRan)
    const { tasks, on, machine, model, open, close } = stage
    const runs = await working(stage, 'echo begun; sleep 1000')
    const ends = await working(stage, 'echo begun; sleep 1; echo done alone')
    const { id: asks } = await tasks.start(on('outside: echo yes'), ALICE)
    const question = await questionOf(tasks, asks)
    expect(model.requests).toHaveLength(3)
    await close()
    await expect.poll(() => model.requests.length).toBe(4)
    await machine.cut()
    const later = await open()
    // It cannot be reached: nobody says that it is lost, and what is wanted of it is done when it is back.
    await expect(later.tasks.interrupt(runs, ALICE)).rejects.toThrow(/box is away, .* interrupted as soon as/)
    const away = await taskThat(later.tasks, runs, ({ reason }) => reason.includes('host box is away'))
    expect(away).toMatchObject({ status: 'working', failure: null })
    expect(await later.tasks.get(asks)).toMatchObject({ status: 'waiting' })
    await machine.heal()
    expect(await atRest(later.tasks, runs)).toMatchObject({ status: 'interrupted' })
    expect(await atRest(later.tasks, ends)).toMatchObject({
      status: 'idle',
      result: { text: expect.stringContaining('done alone') },
    })
    const events = await allEvents(later.tasks as DurableTasks, ends)
    const completed = events.filter(
      ({ method, frame }) => method === 'item/completed' && frame.includes('agentMessage'),
    )
    expect(completed).toHaveLength(1)
    const again = await questionOf(later.tasks, asks)
    expect(again.id).toBe(question.id)
    await later.tasks.decide(again.id, { answer: 'once' }, ALICE)
    expect(await atRest(later.tasks, asks)).toMatchObject({
      result: { text: expect.stringContaining('yes') },
    })
    expect((await later.tasks.approvals({ taskId: asks })).items).toHaveLength(1)
    expect((await machine.commands()).filter((line) => APP_SERVER.test(line))).toHaveLength(1)
  })

  it('drains what is outdated, ends what nobody knows of when it does nothing, and touches nothing of another service', async () => {
    const machineOf = await remoteTasks(saysWhatItRan, {
      tasks: { sshHosts: { remote: { limits: { lookEveryMs: 100, idleMs: 3_600_000 } } } },
    })
    const { machine, dataDir, open, close } = machineOf
    const other = await tasksOn(machine, saysWhatItRan)
    expect(await runTask(other.tasks, other.on('echo theirs'))).toMatchObject({ status: 'idle' })
    const servers = async () => (await machine.commands()).filter((line) => APP_SERVER.test(line)).length
    const { id: old } = await machineOf.tasks.start(machineOf.on('outside: echo over'), ALICE)
    const question = await questionOf(machineOf.tasks, old)
    expect(await servers()).toBe(2)
    await close()
    // As if another codex had been there when it was started.
    const [file] = recordsIn(dataDir)
    writeFileSync(
      file!,
      readFileSync(file!, 'utf8').replace(/"codexPath":"[^"]*"/, '"codexPath":"/opt/old/codex"'),
    )
    const later = await open()
    expect(await runTask(later.tasks, machineOf.on('echo new'))).toMatchObject({ status: 'idle' })
    expect(await servers()).toBe(3)
    await questionOf(later.tasks, old)
    await later.tasks.decide(question.id, { answer: 'once' }, ALICE)
    expect(await atRest(later.tasks, old)).toMatchObject({
      result: { text: expect.stringContaining('over') },
    })
    await expect.poll(servers).toBe(2)
    const untilGo = 'until [ -e go ]; do sleep 0.1; done; echo over'
    const busy = await working({ ...machineOf, tasks: later.tasks }, untilGo)
    await later.close()
    for (const record of recordsIn(dataDir)) writeFileSync(record, 'damaged')
    const last = await open()
    expect(await runTask(last.tasks, machineOf.on('echo newest'))).toMatchObject({ status: 'idle' })
    // The turn that nobody knows how to find was not killed either.
    expect(await servers()).toBe(3)
    expect(await atRest(last.tasks, busy)).toMatchObject({ status: 'lost' })
    writeFileSync(`${machine.homeHere}/project/go`, '')
    await expect.poll(servers).toBe(2)
    expect(await runTask(other.tasks, other.on('echo still theirs'))).toMatchObject({ status: 'idle' })
  }, 120_000)
})

describe('codex on a host that dies', () => {
  it('is reported as what it is, leaves nothing there, and the task can go on', async () => {
    const stage = await remoteTasks(saysWhatItRan)
    const { tasks, on, machine } = stage
    const turn = await working(stage, 'echo begun; sleep 1000')
    const { id: asks } = await tasks.start(on('outside: echo never'), ALICE)
    const question = await questionOf(tasks, asks)
    await machine.kill(`${machine.codexPath} app-server`)
    expect(await atRest(tasks, turn)).toMatchObject({
      status: 'lost',
      reason: expect.stringContaining('codex on box is gone'),
    })
    expect(await atRest(tasks, asks)).toMatchObject({ status: 'lost', openApprovals: 0 })
    await expect(tasks.decide(question.id, { answer: 'once' }, ALICE)).rejects.toMatchObject({
      code: 'approval-settled',
    })
    expect((await machine.commands()).join('\n')).not.toContain('sleep 1000')
    await tasks.resume(turn, { prompt: 'echo back' }, ALICE)
    expect(await atRest(tasks, turn)).toMatchObject({
      status: 'idle',
      result: { text: expect.stringContaining('back') },
    })

    const rebooted = await working(stage, 'echo begun; sleep 1000')
    await machine.reboot()
    expect(await atRest(tasks, rebooted)).toMatchObject({
      status: 'lost',
      reason: expect.stringContaining('box was started again'),
    })
    await tasks.resume(rebooted, { prompt: 'echo back again' }, ALICE)
    expect(await atRest(tasks, rebooted)).toMatchObject({
      result: { text: expect.stringContaining('back again') },
    })
  })
})

describe('what cannot work', () => {
  it('is told as the reason of a task that waits', async () => {
    const { tasks, on, machine, sshHosts } = await remoteTasks(saysWhatItRan)
    const destination = `${machine.user}@${machine.address}:${machine.port}`
    const { identityFile: identity } = machine
    const codexes = {
      none: `${machine.home}/no-codex`,
      old: `${machine.home}/old`,
    }
    writeFileSync(`${machine.homeHere}/old`, '#!/bin/sh\necho codex-cli 0.150.0\n', { mode: 0o755 })
    await machine.own('old')
    const reasons = {
      none: /there is no codex at/,
      old: /is 0.150.0; 0.161.0 or newer/,
    }
    for (const name of ['none', 'old'] as const) {
      await sshHosts.add(
        { name, destination, identity, codexPath: codexes[name], mode: 'remote' },
        { by: 'alice' },
      )
      const { id } = await tasks.start(on('true', { host: name }), ALICE)
      const task = await taskThat(tasks, id, ({ reason }) => reasons[name].test(reason))
      expect(task).toMatchObject({ status: 'queued', evidence: { host: name } })
      await tasks.interrupt(id, ALICE)
    }
    await machine.readOnlyHome()
    const { id: unwritable } = await tasks.start(on('true'), ALICE)
    await taskThat(tasks, unwritable, ({ reason }) =>
      /waits for host box: .*cannot be made: .*Read-only/.test(reason),
    )
    await tasks.interrupt(unwritable, ALICE)
    await machine.changeHostKey()
    await sshHosts.add({ name: 'changed', destination, identity, mode: 'remote' }, { by: 'alice' })
    const { id } = await tasks.start(on('true', { host: 'changed' }), ALICE)
    await taskThat(tasks, id, ({ reason }) => /waits for host changed: .*key/.test(reason))
  })
})
