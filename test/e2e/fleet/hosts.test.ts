// Tasks on a host where several services share a store: the one that reaches the host takes them.
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { ServiceHosts } from '../../../src/cli/serve/service-hosts.ts'
import type { HostDirectory } from '../../../src/tasks/index.ts'
import { message, shell, toolOutputs } from '../../../src/testing/index.ts'
import { LEASE } from '../../support/fleet-facts.ts'
import { openFleet } from '../../support/open-fleet.ts'
import { ALICE } from '../../support/open-tasks.ts'
import { sshStage } from '../../support/ssh/ssh-stage.ts'
import { taskThat } from '../../support/task-facts.ts'

it('a task is placed on a worker that reaches its host, and says why while none does', async () => {
  const stage = await sshStage()
  await stage.run('mkdir', '-p', `${stage.home}/project`)
  const { worker, request } = await openFleet(
    (asked) => {
      const [told] = toolOutputs(asked)
      return told ? message(told.text) : shell('whoami; pwd')
    },
    { fleet: LEASE },
  )
  const open = async (id: string) => {
    let hosts: ServiceHosts | null = null
    const directory: HostDirectory = { get: (name) => hosts!.get(name) }
    const opened = await worker(id, { hosts: directory })
    const { db, dataDir } = opened
    const env = { PATH: process.env.PATH, HOME: path.join(dataDir, 'no-home') }
    mkdirSync(env.HOME)
    hosts = new ServiceHosts({ db, dataDir, env, now: Date.now })
    onTestFinished(() => hosts!.close())
    return { ...opened, hosts }
  }
  const [a, b] = [await open('a'), await open('b')]
  // A host is one of all workers; that its key is right is said at each.
  const destination = `${stage.destination}:${stage.port}`
  await a.hosts.add(
    { name: 'box', destination, identity: stage.identityFile, codexPath: stage.codexPath },
    { by: 'alice' },
  )
  const { id } = await a.tasks.start(request('go', { host: 'box', cwd: `${stage.home}/project` }), ALICE)
  const waiting = await taskThat(a.tasks, id, ({ reason }) => reason.includes('can reach host box'))
  expect(waiting).toMatchObject({ status: 'queued', worker: null })
  expect(waiting.reason).toContain(stage.fingerprint())
  await b.hosts.check('box', { acceptKey: stage.fingerprint() })
  const done = await taskThat(a.tasks, id, ({ status }) => status === 'completed')
  expect(done).toMatchObject({ worker: { id: 'b' }, host: 'box' })
  expect(done.result!.text).toContain(`${stage.user}\n${stage.home}/project`)
  // Another door removes it: the one that has it lets go of it.
  await a.hosts.remove('box')
  expect(await b.hosts.get('box')).toBe(null)
  expect(await b.hosts.list()).toEqual([])
}, 120_000)
