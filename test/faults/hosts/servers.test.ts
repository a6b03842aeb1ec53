// Servers of codex that run on a host by themselves.
import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import WebSocket from 'ws'
import { openCodex } from '../../../src/codex/index.ts'
import { type ExecServer, type SshHost, webSocketHost } from '../../../src/hosts/index.ts'
import { codexVersionHere } from '../../support/ssh/codex-here.ts'
import { dataFolder, openHost } from '../../support/ssh/open-host.ts'
import { type SshStage, sshStage } from '../../support/ssh/ssh-stage.ts'

const version = codexVersionHere()
const QUICK = { retryBaseMs: 50, retryMaxMs: 400, aliveSeconds: 1 }

const SERVERS = '~/.local/state/drawbridge/servers'

function records(stage: SshStage): string[] {
  const folder = SERVERS.replace('~', stage.homeHere)
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('/record'))
}

function hostOf(stage: SshStage, dataDir = dataFolder()) {
  return openHost(stage, { spec: { codexPath: stage.codexPath }, options: { dataDir, times: QUICK } })
}

/** A connection to the exec-server on which a command runs. */
async function runCommand(
  { url, token }: ExecServer,
  { argv, env }: { argv: readonly string[]; env: SshStage['env'] },
): Promise<WebSocket> {
  const socket = new WebSocket(url, { headers: { Authorization: `Bearer ${token}` } })
  const replies = new Map<number, (result: unknown) => void>()
  socket.on('message', (data) => {
    const message = JSON.parse(String(data))
    replies.get(message.id)?.(message.error ?? message.result)
  })
  const ask = (id: number, method: string, params: unknown) => {
    const { promise, resolve } = Promise.withResolvers<unknown>()
    replies.set(id, resolve)
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
    return promise
  }
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  await ask(1, 'initialize', { clientName: 'test' })
  socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'initialized', params: {} }))
  const started = await ask(2, 'process/start', {
    processId: 'p1',
    argv,
    cwd: 'file:///',
    env,
    tty: false,
    arg0: null,
  })
  expect(started).toMatchObject({ processId: 'p1' })
  return socket
}

describe('an exec-server on a host', () => {
  it('lets nobody in without its token, which the host does not have', async () => {
    const stage = await sshStage()
    const { host } = hostOf(stage)
    const { url, token } = await host.execServer({ version })
    const refused = new WebSocket(url)
    const [, response] = await new Promise<[unknown, { statusCode: number }]>((resolve) =>
      refused.once('unexpected-response', (...all) => resolve(all as never)).on('error', () => {}),
    )
    expect(response.statusCode).toBe(401)
    expect(await stage.run('grep', '-rlF', token, stage.home).catch(({ code }) => code)).toBe(1)
    expect((await stage.commands()).join('\n')).not.toContain(token)
  })

  it('is started again at the same address when it was killed', async () => {
    const stage = await sshStage()
    const { host } = hostOf(stage)
    const first = await host.execServer({ version })
    const [server] = await host.servers()
    await stage.run('kill', '-9', String(server!.pid))
    const second = await host.execServer({ version })
    expect(second).toMatchObject({ url: first.url, token: first.token, wasRunning: false })
    expect(second.id).not.toBe(first.id)
    expect(records(stage)).toHaveLength(1)
  })

  it('is started once for many who ask at once', async () => {
    const stage = await sshStage()
    const { host } = hostOf(stage)
    const all = await Promise.all(Array.from({ length: 8 }, () => host.execServer({ version })))
    expect(new Set(all.map(({ id }) => id)).size).toBe(1)
    expect(await host.servers()).toHaveLength(1)
  })

  it('of another version goes on while it works, and ends after that', async () => {
    const stage = await sshStage()
    const { host } = hostOf(stage)
    const old = await host.execServer({ version })
    const socket = await runCommand(old, { argv: ['/bin/sleep', '1000'], env: stage.env })
    const [record] = records(stage)
    await stage.run(
      'sed',
      '-i',
      's/^version=.*/version=0.1.0/',
      `${SERVERS.replace('~', stage.home)}/${record}`,
    )
    const current = await host.execServer({ version })
    expect(current).toMatchObject({ url: old.url, wasRunning: false })
    expect(current.id).not.toBe(old.id)
    expect((await host.servers()).map(({ id }) => id).sort()).toEqual([old.id, current.id].sort())
    expect(await stage.commands()).toContain('/bin/sleep 1000 ')
    expect(await host.endIdleServer(old.id)).toBe(false)
    socket.terminate()
    await stage.kill('/bin/sleep 1000')
    await expect
      .poll(async () => {
        await host.execServer({ version })
        return (await host.servers()).map(({ id }) => id)
      })
      .toEqual([current.id])
  })

  it('ends with everything it runs', async () => {
    const stage = await sshStage()
    const { host } = hostOf(stage)
    const server = await host.execServer({ version })
    await runCommand(server, { argv: ['/bin/sh', '-c', 'setsid sleep 1000'], env: stage.env })
    await expect.poll(stage.commands).toContain('sleep 1000 ')
    await host.endServer(server.id)
    await expect.poll(stage.commands).toEqual([])
    expect(records(stage)).toEqual([])
  })
})

describe('a host that several services use', () => {
  it('keeps their servers apart: nobody finds or ends those of another', async () => {
    const stage = await sshStage()
    const { host: one } = hostOf(stage)
    const { host: two } = hostOf(stage)
    const first = await one.execServer({ version })
    const second = await two.execServer({ version })
    expect(second.id).not.toBe(first.id)
    await two.endServer(first.id)
    expect(await one.servers()).toMatchObject([{ id: first.id }])
    await two.endServer(second.id)
    expect(await two.servers()).toEqual([])
    expect(await one.execServer({ version })).toEqual({ ...first, wasRunning: true })
  })

  it('that was started again has none of them, and what is left of them is removed', async () => {
    const stage = await sshStage()
    const { host } = hostOf(stage)
    const before = await host.facts()
    const first = await host.execServer({ version })
    await stage.reboot()
    await expect.poll(() => host.state.status).toBe('connected')
    const again = await host.execServer({ version })
    expect(again).toMatchObject({ url: first.url, token: first.token, wasRunning: false })
    expect(records(stage)).toHaveLength(1)
    expect((await host.facts()).home).toBe(before.home)
  })
})

describe('a script on a host that dies half way', () => {
  it('says nothing of servers and logins there: they are not taken for gone', async () => {
    const stage = await sshStage({ profile: 'PATH=$HOME/first:$PATH\n' })
    const { host } = hostOf(stage)
    const { id } = await host.execServer({ version })
    const first = `${stage.homeHere}/first`
    mkdirSync(first)
    for (const name of ['wc', 'id'])
      writeFileSync(`${first}/${name}`, '#!/bin/sh\nkill -9 $PPID\n', { mode: 0o755 })
    const died = { code: 'host-command-failed', retryable: true }
    await expect(host.servers()).rejects.toMatchObject(died)
    await expect(host.places({ codexHome: null, protect: [], make: false })).rejects.toMatchObject(died)
    rmSync(first, { recursive: true })
    expect(await host.servers()).toMatchObject([{ id }])
  })
})

describe('an app-server on a host', () => {
  const start = async (host: SshHost, stage: SshStage, args: readonly string[] = []) =>
    host.startAppServer({
      id: randomBytes(16).toString('hex'),
      codex: await host.codex({ version }),
      codexHome: `${stage.home}/codex home`,
      settings: 'of today',
      startedAt: new Date().toISOString(),
      args: ['app-server', '-c', 'features.shell_snapshot=false', ...args],
      passEnv: Object.keys(stage.env),
    })

  it('is reached by a socket here, also after a cut, and found again by another start of ours', async () => {
    const stage = await sshStage({ profile: 'export THEIR_TOKEN=secret TMPDIR=/var/tmp LC_THEIRS=kept\n' })
    await stage.run('mkdir', `${stage.home}/codex home`)
    const { host, dataDir } = hostOf(stage)
    const first = await start(host, stage)
    const socketPath = await host.wayTo(first)
    await host.shakeHands(first)
    const states: string[] = []
    host.onState(({ status }) => states.push(status))
    await stage.killSessions()
    await expect.poll(() => states).toEqual(['retrying', 'connecting', 'connected'])
    const client = await openCodex(webSocketHost({ socketPath }))
    expect(await client.request('thread/loaded/list', {})).toMatchObject({ data: [] })
    await client.close()
    const environment = (await stage.run('cat', `/proc/${first.pid}/environ`)).split('\0')
    expect(environment).toContain(`CODEX_HOME=${stage.home}/codex home`)
    expect(environment).toContain('LC_THEIRS=kept')
    expect(environment.join()).not.toMatch(/TOKEN|TMPDIR|SSH_/)
    await host.close()
    const { host: again } = hostOf(stage, dataDir)
    expect(await again.servers()).toEqual([first])
    await expect(again.shakeHands({ ...first, version: '0.1.0' })).rejects.toMatchObject({
      code: 'host-server-other-version',
    })
    await stage.run('kill', '-9', String(first.pid))
    expect(await again.look()).toMatchObject({ alive: [], dead: [{ id: first.id, wasRestarted: false }] })
    expect(records(stage)).toEqual([])
  })

  it('that cannot start says why, and leaves nothing', async () => {
    const stage = await sshStage()
    const { host } = hostOf(stage)
    await expect(start(host, stage, ['--no-such-option'])).rejects.toMatchObject({
      code: 'host-server-failed',
      message: expect.stringContaining('no-such-option'),
    })
    expect(records(stage)).toEqual([])
  })
})
