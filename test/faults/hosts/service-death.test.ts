// `drawbridge serve` is killed while tasks work and ask on a host, in both modes.
import { expect, it, onTestFinished } from 'vitest'
import { sshProcesses } from '../../support/ssh/leftovers.ts'
import { saysWhatItRan } from '../../support/ssh/says-what-it-ran.ts'
import { serveHosts } from '../../support/ssh/served-hosts.ts'

const MODES = ['exec', 'remote'] as const

it('kill -9 of the service leaves no ssh behind; the next one finds every turn, and its question once', async () => {
  const hosts = await serveHosts(saysWhatItRan)
  onTestFinished(hosts.close)
  const begun = await Promise.all(
    MODES.map(async (place) => {
      const turn = await hosts.start(place, 'echo begun; sleep 3; echo over')
      const { id } = await hosts.start(place, 'outside: echo yes')
      expect(await hosts.client().tasks.wait(id)).toMatchObject({ status: 'waiting', host: place })
      return { place, turn: turn.id, question: id }
    }),
  )
  const asked = (await hosts.client().approvals({ status: 'pending' })).items.map(({ id }) => id)
  await expect.poll(() => hosts.model.requests.length).toBe(4)
  await hosts.kill()
  await expect.poll(() => sshProcesses(hosts.dataDir)).toEqual([])
  await hosts.serve()
  const { tasks } = hosts.client()
  for (const { place, turn, question } of begun) {
    const over = { status: 'completed', host: place, result: { text: expect.stringContaining('over') } }
    expect(await tasks.wait(turn), place).toMatchObject(over)
    const { items } = await hosts.client().approvals({ taskId: question })
    expect(items.map(({ id }) => asked.includes(id))).toEqual([true])
    await hosts.client().answer(items[0]!.id, { answer: 'once' })
    expect(await tasks.wait(question)).toMatchObject({ status: 'completed' })
  }
  expect(hosts.model.requests).toHaveLength(8)
}, 90_000)

it('a host that is removed takes nothing along: its idle codex ends, and a turn there is not watched any more', async () => {
  const hosts = await serveHosts(saysWhatItRan)
  onTestFinished(hosts.close)
  const runs = async () => (await hosts.machine.commands()).some((line) => line.includes('codex app-server'))
  expect(await runs()).toBe(true)
  await hosts.client().removeHost('remote')
  expect(await runs()).toBe(false)
  const destination = `${hosts.machine.destination}:${hosts.machine.port}`
  const { identityFile: identity, codexPath } = hosts.machine
  const again = { name: 'remote', destination, identity, codexPath, mode: 'remote' } as const
  await hosts.client().addHost(again)
  const { id } = await hosts.start('remote', 'outside: echo yes')
  expect(await hosts.client().tasks.wait(id)).toMatchObject({ status: 'waiting' })
  await hosts.client().removeHost('remote')
  const { tasks } = hosts.client()
  await expect.poll(async () => (await tasks.get(id)).status).toBe('lost')
  expect((await tasks.get(id)).reason).toContain('remote was removed')
  expect(await runs()).toBe(true)
}, 90_000)
