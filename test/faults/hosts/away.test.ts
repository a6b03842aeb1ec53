// Services that share a host, and a host that is away while its service is started again.
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { ServiceHosts } from '../../../src/cli/serve/service-hosts.ts'
import { lastUserText, type ModelRequest, message, shell, toolOutputs } from '../../../src/testing/index.ts'
import { ALICE, openTasks } from '../../support/open-tasks.ts'
import { codexVersionHere } from '../../support/ssh/codex-here.ts'
import { type SshStage, sshStage } from '../../support/ssh/ssh-stage.ts'
import { eventThat, taskThat } from '../../support/task-facts.ts'
import { testStore } from '../../support/test-store.ts'

function runs(request: ModelRequest) {
  const text = lastUserText(request) ?? ''
  const callId = `call-${request.body.input.findLastIndex((item) => JSON.stringify(item).includes('input_text'))}`
  const told = toolOutputs(request).filter((output) => output.callId === callId)
  if (told.length > 0) return message(told.map((output) => output.text).join('\n'))
  return shell(text, { callId, arguments: { yield_time_ms: 30_000 } })
}

/** A service with this host, which knows its key. */
async function openService(stage: SshStage) {
  let hosts: ServiceHosts | null = null
  const opened = await openTasks(runs, { hosts: { get: (name) => hosts!.get(name) } })
  const { dataDir } = opened
  const env = { PATH: process.env.PATH, HOME: path.join(dataDir, 'no-home') }
  mkdirSync(env.HOME)
  // A store of its own, so that it is there before that of the tasks is opened again.
  const { db, close: closeStore } = await (await testStore(env.HOME)).open()
  onTestFinished(closeStore)
  const openHosts = () => {
    hosts = new ServiceHosts({ db, dataDir, env, now: Date.now })
    onTestFinished(hosts.close.bind(hosts))
    return hosts
  }
  const { identityFile: identity, codexPath, destination, port } = stage
  const first = openHosts()
  await first.add(
    { name: 'box', destination: `${destination}:${port}`, identity, codexPath },
    { by: 'alice' },
  )
  await first.check('box', { acceptKey: stage.fingerprint() })
  await stage.run('mkdir', '-p', `${stage.home}/project`)
  const policy = { sandbox: 'workspace-write' } as const
  const on = (prompt: string) =>
    opened.request(prompt, { host: 'box', cwd: `${stage.home}/project`, keepOpen: true, policy })
  return { ...opened, hosts: first, openHosts, on }
}

it('two services on one host each have a server there that the other cannot use, nor ends', async () => {
  const stage = await sshStage()
  const [a, b] = [await openService(stage), await openService(stage)]
  const long = await b.tasks.start(b.on('sleep 4; echo of b > b-made; cat b-made'), ALICE)
  const short = await a.tasks.start(a.on('echo of a'), ALICE)
  await taskThat(a.tasks, short.id, ({ status }) => status === 'idle')
  const addressOf = async ({ hosts }: typeof a) =>
    (await hosts.get('box'))!.open({ codexVersion: codexVersionHere() })
  const [ofA, ofB] = [await addressOf(a), await addressOf(b)]
  expect(ofA.token).not.toBe(ofB.token)
  expect(await letsIn(ofA.url, ofA.token)).toBe(true)
  expect(await letsIn(ofA.url, ofB.token)).toBe(false)
  expect((await stage.commands()).filter((line) => line.includes(' exec-server '))).toHaveLength(2)
  await a.end()
  await a.hosts.close()
  const { result } = await taskThat(b.tasks, long.id, ({ status }) => status === 'idle')
  expect(result!.text).toContain('of b')
}, 60_000)

it('tasks of a host that is away while the service starts wait, and go on when it is back', async () => {
  const stage = await sshStage()
  const { tasks, on, openHosts, hosts, close, open } = await openService(stage)
  const begun = await tasks.start(on('echo begun; sleep 8; echo survived'), ALICE)
  await eventThat(tasks, begun.id, ({ frame }) => frame.includes('begun\\n'))
  await close()
  await hosts.close()
  await stage.killSshd({ withSessions: true })
  openHosts()
  const later = await open()
  const queued = await later.tasks.start(on('echo queued'), ALICE)
  await taskThat(later.tasks, queued.id, ({ reason }) => reason.includes('waits for host box'))
  expect(await later.tasks.get(begun.id)).toMatchObject({ status: 'working', host: 'box' })
  await stage.startSshd()
  const texts = [begun, queued].map(async ({ id }) => {
    const { result } = await taskThat(later.tasks, id, ({ status }) => status === 'idle')
    return result!.text
  })
  expect(await Promise.all(texts)).toEqual([
    expect.stringContaining('survived'),
    expect.stringContaining('queued'),
  ])
}, 90_000)

function letsIn(url: string, token: string): Promise<boolean> {
  const socket = new WebSocket(url, { headers: { authorization: `Bearer ${token}` } })
  return new Promise((resolve) => {
    const tell = (isOpen: boolean) => () => {
      socket.terminate()
      resolve(isOpen)
    }
    socket.on('open', tell(true)).on('error', tell(false))
  })
}
