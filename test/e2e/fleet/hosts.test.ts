// Tasks on a host where several services share a store: a worker that reaches the host takes them, and keeps them.
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import type { Task } from '../../../src/tasks/index.ts'
import { codexConfig } from '../../../src/testing/index.ts'
import { LEASE } from '../../support/fleet-facts.ts'
import { openFleet } from '../../support/open-fleet.ts'
import { ALICE } from '../../support/open-tasks.ts'
import { saysWhatItRan } from '../../support/ssh/says-what-it-ran.ts'
import { sshStage } from '../../support/ssh/ssh-stage.ts'
import { eventThat, questionOf, taskThat } from '../../support/task-facts.ts'

const AT_REST = ({ turnId, status }: Task) => turnId === null && status !== 'queued' && status !== 'starting'
const hasCommand = ({ method, frame }: { method: string; frame: string }) =>
  method === 'item/started' && frame.includes('commandExecution')

it('a task is placed on a worker that reaches its host, and keeps to that in both modes', async () => {
  const stage = await sshStage()
  const { worker, request, model } = await openFleet(saysWhatItRan, { fleet: LEASE })
  await stage.offer(Number(new URL(model.url).port))
  for (const folder of ['project', '.codex']) mkdirSync(path.join(stage.homeHere, folder))
  writeFileSync(path.join(stage.homeHere, '.codex/config.toml'), codexConfig(model))
  for (const folder of ['project', '.codex']) await stage.own(folder)
  const remote = { passEnv: Object.keys(stage.env), limits: { lookEveryMs: 200 } }
  const open = (id: string) => worker(id, { sshHosts: { remote } })
  const [a, b] = [await open('a'), await open('b')]
  // A host is one of all workers; that its key is right is said at each.
  const destination = `${stage.destination}:${stage.port}`
  const { identityFile: identity, codexPath } = stage
  for (const mode of ['exec', 'remote'] as const)
    await a.hosts.add({ name: mode, destination, identity, codexPath, mode }, { by: 'alice' })
  const cwd = `${stage.home}/project`
  const { id } = await a.tasks.start(request('whoami; pwd', { host: 'exec', cwd }), ALICE)
  const waiting = await taskThat(a.tasks, id, ({ reason }) => reason.includes('can reach host exec'))
  expect(waiting).toMatchObject({ status: 'queued', worker: null })
  expect(waiting.reason).toContain(stage.fingerprint())
  await b.hosts.check('exec', { acceptKey: stage.fingerprint() })
  const done = await taskThat(a.tasks, id, ({ status }) => status === 'completed')
  expect(done).toMatchObject({ worker: { id: 'b' }, host: 'exec' })
  expect(done.result!.text).toContain(`${stage.user}\n${stage.home}/project`)

  // In remote mode each worker has a codex of its own there. Any door sees, answers and goes on with every task.
  await a.hosts.check('remote', { acceptKey: stage.fingerprint() })
  const on = (text: string, where: string) => ({
    ...request(text, { host: 'remote', cwd, on: where, keepOpen: true }),
    codexHome: undefined,
  })
  const asks = await b.tasks.start(on('outside: whoami', 'a'), ALICE)
  const question = await questionOf(b.tasks, asks.id)
  expect(question.question).toMatchObject({ host: 'remote', cwd })
  await b.tasks.decide(question.id, { answer: 'once' }, ALICE)
  const answered = await taskThat(b.tasks, asks.id, AT_REST)
  expect(answered).toMatchObject({ worker: { id: 'a' }, codexHome: 'ssh:remote', status: 'idle' })
  expect(answered.result!.text).toContain(stage.user)
  const works = await a.tasks.start(on('echo begun; sleep 2; echo over', 'b'), ALICE)
  await eventThat(a.tasks, works.id, hasCommand)
  const servers = async () => (await stage.commands()).filter((line) => /codex app-server/.test(line)).length
  expect(await servers()).toBe(2)

  // The turn goes on while its worker is away, and belongs to it when it is back.
  const asked = model.requests.length
  await b.close()
  await expect.poll(() => model.requests.length).toBe(asked + 1)
  const again = await open('b')
  const over = await taskThat(a.tasks, works.id, AT_REST)
  expect(over).toMatchObject({ status: 'idle', worker: { id: 'b' } })
  expect(over.result!.text).toContain('over')
  expect(model.requests).toHaveLength(asked + 1)

  // Another door removes the hosts: the worker that has their tasks lets go of them.
  const left = await a.tasks.start(on('outside: whoami', 'b'), ALICE)
  await questionOf(a.tasks, left.id)
  for (const name of ['exec', 'remote']) await a.hosts.remove(name)
  const lost = await taskThat(a.tasks, left.id, AT_REST)
  expect(lost).toMatchObject({ status: 'lost', openApprovals: 0 })
  expect(lost.reason).toContain('remote was removed')
  expect(await again.hosts.get('exec')).toBe(null)
  expect(await again.hosts.list()).toEqual([])
  expect(await servers()).toBe(1)
}, 120_000)
