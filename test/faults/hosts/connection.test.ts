// The connection to a host, and everything that can happen to it.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { codexVersionHere } from '../../support/ssh/codex-here.ts'
import { masterPid, sshProcesses } from '../../support/ssh/leftovers.ts'
import { dataFolder, openHost, specOf } from '../../support/ssh/open-host.ts'
import { sshStage } from '../../support/ssh/ssh-stage.ts'

const QUICK = { retryBaseMs: 50, retryMaxMs: 400, aliveSeconds: 1, connectMs: 5_000 }

describe('a connection that is lost', () => {
  it('is made again when ssh is killed, and the way to a server stays the same', async () => {
    const stage = await sshStage()
    const { host, dataDir } = openHost(stage, {
      spec: { codexPath: stage.codexPath },
      options: { times: QUICK },
    })
    const version = codexVersionHere()
    const first = await host.execServer({ version })
    const states: string[] = []
    host.onState(({ status }) => states.push(status))
    process.kill(masterPid(dataDir), 'SIGKILL')
    await expect.poll(() => states).toEqual(['retrying', 'connecting', 'connected'])
    expect(await answers(first.url)).toBe(true)
    expect(await host.execServer({ version })).toEqual({ ...first, wasRunning: true })
  })

  it('is made again when its process on the host is killed', async () => {
    const stage = await sshStage()
    const { host } = openHost(stage, { options: { times: QUICK } })
    await host.connect()
    const states: string[] = []
    host.onState(({ status }) => states.push(status))
    await stage.killSessions()
    await expect.poll(() => states).toContain('connected')
    expect((await host.facts()).home).toBe(stage.home)
  })

  it('outlives a link that is down for a moment', async () => {
    const stage = await sshStage()
    const { host } = openHost(stage, { options: { times: { ...QUICK, aliveSeconds: 5 } } })
    await host.connect()
    const states: string[] = []
    host.onState(({ status }) => states.push(status))
    const down = stage.cutFor(5_000)
    const facts = host.facts()
    await down
    expect((await facts).home).toBe(stage.home)
    expect(states).toEqual([])
  })

  it('is given up when the link stays down, and made again when it is back', async () => {
    const stage = await sshStage()
    const { host } = openHost(stage, { options: { times: { ...QUICK, connectMs: 1_000 } } })
    await host.connect()
    await stage.cut()
    await expect.poll(() => host.state.status).toBe('retrying')
    // What is asked meanwhile waits for it.
    const facts = host.facts()
    await stage.heal()
    expect((await facts).home).toBe(stage.home)
    expect(host.state.status).toBe('connected')
  })

  it('is not tried again and again: after some failures only when somebody asks, and not too often', async () => {
    const stage = await sshStage()
    const times = { ...QUICK, breakAfter: 3, brokenMs: 3_600_000, askedAgainMs: 1_000 }
    let clock = 0
    const { host } = openHost(stage, { options: { times, now: () => clock } })
    await host.connect()
    const attempts: string[] = []
    host.onState(({ status }) => status === 'connecting' && attempts.push(status))
    await stage.killSshd({ withSessions: true })
    await expect.poll(() => host.state.status).toBe('broken')
    expect(attempts).toHaveLength(2)
    await expect(host.facts()).rejects.toMatchObject({
      code: expect.stringMatching(/^ssh-/),
      retryable: true,
    })
    expect(attempts).toHaveLength(2)
    clock += 1_000
    await stage.startSshd()
    const asked = await Promise.all([host.facts(), host.facts(), host.facts()])
    expect(asked.map(({ home }) => home)).toEqual([stage.home, stage.home, stage.home])
    expect(attempts).toHaveLength(3)
  })

  it('has deadlines that grow with a slow link', async () => {
    const stage = await sshStage({ isSlow: true })
    stage.delay(200)
    const { host } = openHost(stage)
    await host.connect()
    expect(host.state).toMatchObject({ status: 'connected' })
    if (host.state.status === 'connected') expect(host.state.roundTripMs).toBeGreaterThan(400)
    expect(await host.lookAt(['/etc', '/nothing'])).toMatchObject([{ kind: 'folder' }, { kind: 'missing' }])
  })
})

describe('what is left of a connection', () => {
  it('is nothing after it was closed', async () => {
    const stage = await sshStage()
    const { host, dataDir } = openHost(stage)
    await host.facts()
    expect(sshProcesses(dataDir)).not.toEqual([])
    await host.close()
    expect(host.state.status).toBe('closed')
    await expect.poll(() => sshProcesses(dataDir)).toEqual([])
    await expect(host.facts()).rejects.toMatchObject({ code: 'ssh-closed' })
  })

  it('is nothing after we were killed, also while the link is down; what runs on the host is found again', async () => {
    const stage = await sshStage()
    const dataDir = dataFolder()
    const spec = { ...specOf(stage), codexPath: stage.codexPath }
    openHost(stage, { options: { dataDir } })
    const child = spawn(
      process.execPath,
      ['test/faults/hosts/owner.ts', JSON.stringify({ spec, dataDir, version: codexVersionHere() })],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    const [line] = (await once(child.stdout, 'data')) as [Buffer]
    const first = JSON.parse(String(line))
    expect(sshProcesses(dataDir)).not.toEqual([])
    await stage.cut()
    child.kill('SIGKILL')
    await expect.poll(() => sshProcesses(dataDir)).toEqual([])
    await stage.heal()
    const { host } = openHost(stage, { spec, options: { dataDir } })
    expect(await host.execServer({ version: codexVersionHere() })).toEqual({ ...first, wasRunning: true })
  })
})

async function answers(url: string): Promise<boolean> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
  const answered = await Promise.race([
    once(socket, 'data').then(() => true),
    once(socket, 'close').then(() => false),
  ])
  socket.destroy()
  return answered
}
