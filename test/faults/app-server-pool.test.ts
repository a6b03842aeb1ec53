// The app-servers of a service, with the real codex: shared, replaced, ended when idle, and left running.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { WebSocket } from 'ws'
import { openCodex } from '../../src/codex/index.ts'
import { appServerPool, reapOrphans } from '../../src/hosts/index.ts'
import type { AppServers } from '../../src/tasks/model/app-servers.ts'
import { makeWorkspace, message } from '../../src/testing/index.ts'
import { bundledCodex } from '../support/raw-codex.ts'
import { eventually, identityOf, rejection, within } from './processes.ts'
import { serviceStage } from './service-stage.ts'

const HELLO = [message('hello')]

describe.concurrent('an app-server of the pool', () => {
  it('is started once for all who ask at once, and serves turns over its socket', async () => {
    await using stage = await serviceStage(HELLO)
    const pool: AppServers = stage.pool()
    const [first, ...others] = await Promise.all([1, 2, 3].map(() => pool.get(stage.key, {})))
    expect(others.every((other) => other === first)).toBe(true)
    const letGo = first!.hold()
    await using codex = await openCodex(first!.host)
    const thread = await codex.startThread({ cwd: stage.cwd })
    expect(await (await thread.startTurn('hi')).outcome).toMatchObject({ status: 'completed', text: 'hello' })
    expect(pool.list()).toEqual([
      expect.objectContaining({ id: first!.id, pid: codex.pid, key: stage.key, state: 'running', holds: 1 }),
    ])
    expect(stage.records()).toEqual([`${first!.id}.json`])
    letGo()
    letGo()
    expect(pool.list()[0]!.holds).toBe(0)
  })

  it('is left running by a release, spared by a reaper, and taken over', async () => {
    await using stage = await serviceStage(HELLO)
    const pool = stage.pool()
    const { id } = await pool.get(stage.key, {})
    const { pid } = pool.list()[0]!
    await pool.release()
    expect(await rejection(pool.get(stage.key, {}))).toMatchObject({ code: 'app-server-pool-released' })
    expect(await reapOrphans(path.join(stage.dataDir, 'app-servers'))).toEqual([])
    expect(identityOf(pid!)).not.toBeNull()
    const next = stage.pool()
    const adopted = await next.adopt({})
    expect(adopted.map((appServer) => appServer.id)).toEqual([id])
    // Again: the one that this pool has by now, and no second one.
    expect(await next.adopt({})).toEqual(adopted)
    expect(next.list().map((appServer) => appServer.id)).toEqual([id])
    expect((await next.get(stage.key, {})).id).toBe(id)
  })

  it('is ended when nobody has held it for the idle time', async () => {
    await using stage = await serviceStage(HELLO)
    let now = Date.now()
    const pool = stage.pool({ now: () => now, limits: { idleMs: 60_000 } })
    const appServer = await pool.get(stage.key, {})
    const letGo = appServer.hold()
    now += 100_000
    await pool.look()
    expect(appServer.isAlive()).toBe(true)
    letGo()
    now += 59_000
    await pool.look()
    expect(appServer.isAlive()).toBe(true)
    now += 2_000
    await pool.look()
    expect((await appServer.ended).reason).toContain('nothing has needed it for 61 s')
    expect(pool.list()).toEqual([])
    stage.expectNothingLeft()
  })

  it('is replaced when it takes too much memory, and ended when the last lets go', async () => {
    await using stage = await serviceStage(HELLO)
    let now = Date.now()
    const pool = stage.pool({ now: () => now, limits: { maxMemoryBytes: 1_000 } })
    const large = await pool.get(stage.key, {})
    const letGo = large.hold()
    await pool.look()
    expect(pool.list()).toMatchObject([{ state: 'draining', memoryBytes: expect.any(Number) }])
    const fresh = await pool.get(stage.key, {})
    expect(fresh.id).not.toBe(large.id)
    now += 10_000
    await pool.look()
    expect(large.isAlive()).toBe(true)
    letGo()
    expect((await within(15_000, large.ended)).reason).toMatch(/it took \d+ MB, more than 0 MB/)
  })

  it('is replaced before it runs out of descriptors, and ended when the last lets go', async () => {
    await using stage = await serviceStage(HELLO)
    let now = Date.now()
    const pool = stage.pool({ now: () => now, limits: { maxDescriptorShare: 0 } })
    const full = await pool.get(stage.key, {})
    const letGo = full.hold()
    await pool.look()
    expect((await pool.get(stage.key, {})).id).not.toBe(full.id)
    now += 10_000
    await pool.look()
    expect(full.isAlive()).toBe(true)
    letGo()
    expect((await within(15_000, full.ended)).reason).toMatch(/it has \d+ of its \d+ descriptors open/)
  })

  it('is replaced when codex was updated in place, or the settings have changed', async () => {
    await using stage = await serviceStage(HELLO)
    const codexPath = path.join(stage.dataDir, 'codex')
    const install = (version: string) => {
      const answer = `[ "$1" = --version ] && echo "codex-cli ${version}" && exit`
      writeFileSync(
        codexPath,
        `#!/bin/sh\n# ${version}\n${answer}\nexec '${path.resolve(bundledCodex())}' "$@"\n`,
      )
      chmodSync(codexPath, 0o755)
    }
    install('0.166.0')
    const key = { ...stage.key, codexPath }
    const pool = stage.pool()
    const old = await pool.get(key, {})
    old.hold()
    await pool.look()
    expect(old.isDraining).toBe(false)
    install('0.166.10')
    await pool.look()
    expect(old.isDraining).toBe(true)
    await pool.release()

    install('0.166.0')
    const { host } = stage.poolOptions
    const changed = stage.pool({ host: { ...host, config: { model: '"other"' } } })
    expect(await changed.adopt({})).toMatchObject([{ id: old.id, isDraining: true }])
    await changed.release()
    expect(await stage.pool().adopt({})).toMatchObject([{ id: old.id, isDraining: false }])
  })

  it('makes room for another when nobody holds it; otherwise the other has to wait', async () => {
    await using stage = await serviceStage(HELLO)
    let now = Date.now()
    const pool = stage.pool({ now: () => now, limits: { maxAppServers: 1 } })
    const first = await pool.get(stage.key, {})
    const otherKey = { ...stage.key, codexPath: path.resolve(bundledCodex()) }
    const error = await rejection(pool.get(otherKey, {}))
    expect(error).toMatchObject({ code: 'too-many-app-servers', retryable: true })
    now += 10_000
    const second = await pool.get(otherKey, {})
    expect([first.isAlive(), second.isAlive()]).toEqual([false, true])
  })

  it('has one host in exec mode or none, also on an account, where only one runs at a time', async () => {
    await using stage = await serviceStage(HELLO)
    let now = Date.now()
    const pool = stage.pool({ isExclusive: (home) => home === stage.key.codexHome, now: () => now })
    const here = await pool.get(stage.key, {})
    const letGo = here.hold()
    const onBox = { ...stage.key, execHost: 'box' }
    const inPlace = { code: 'app-server-in-place', retryable: true }
    expect(await rejection(pool.get(onBox, {}))).toMatchObject(inPlace)
    // Nobody overtakes whoever waits.
    expect(await rejection(pool.get(stage.key, {}))).toMatchObject(inPlace)
    expect([here.isAlive(), here.isDraining]).toEqual([true, true])
    letGo()
    now += 10_000
    await pool.look()
    await here.ended
    const there = await pool.get(onBox, {})
    expect(pool.list()).toMatchObject([{ id: there.id, key: onBox }])
    await pool.release()
    const [adopted] = await stage.pool().adopt({})
    expect(adopted).toMatchObject({ id: there.id, key: onBox, isDraining: false })
  })

  it('of a version that had the tasks of all hosts in one takes no new threads', async () => {
    await using stage = await serviceStage(HELLO)
    const pool = stage.pool()
    const { id } = await pool.get(stage.key, {})
    await pool.release()
    const file = path.join(stage.dataDir, 'app-servers', `${id}.json`)
    const record = JSON.parse(readFileSync(file, 'utf8'))
    delete record.detached.key.execHost
    writeFileSync(file, JSON.stringify(record))
    const later = stage.pool()
    const [old] = await later.adopt({})
    expect(old).toMatchObject({ id, isDraining: true, key: { execHost: '*' } })
    expect((await later.get(stage.key, {})).id).not.toBe(id)
    expect((await later.get({ ...stage.key, execHost: 'box' }, {})).id).not.toBe(id)
  })

  it('is not left behind when whoever wanted it goes away while it starts', async () => {
    await using stage = await serviceStage(HELLO)
    const pool = stage.pool()
    const leaving = new AbortController()
    const left = rejection(pool.get(stage.key, { signal: leaving.signal }))
    await eventually(() => stage.records().some((name) => name.endsWith('.json')), 'codex is started')
    leaving.abort(new Error('no longer needed'))
    expect(await left).toMatchObject({ message: 'no longer needed' })
    const appServer = await pool.get(stage.key, {})
    expect(stage.records()).toEqual([`${appServer.id}.json`])
  })

  it('makes the default home of codex, which on a socket codex does not', async () => {
    await using stage = await serviceStage(HELLO)
    await using userHome = await makeWorkspace()
    // Without a config.toml it would ask OpenAI for plugins.
    const nowhere = 'http://127.0.0.1:9'
    const env = { PATH: process.env.PATH, HOME: userHome.path, HTTPS_PROXY: nowhere, HTTP_PROXY: nowhere }
    const pool = stage.pool({ host: { env } })
    const appServer = await pool.get({ codexPath: null, codexHome: null, execHost: null }, {})
    await using codex = await openCodex(appServer.host)
    expect(codex.codexHome).toBe(path.join(userHome.path, '.codex'))
  })

  it('listens in a short private folder when the data folder is too deep for a socket', async ({
    onTestFinished,
  }) => {
    await using stage = await serviceStage(HELLO)
    const dataDir = path.join(stage.dataDir, 'a-rather-deep-folder/'.repeat(6))
    mkdirSync(dataDir, { recursive: true })
    const pool = stage.pool({ dataDir })
    const appServer = await pool.get(stage.key, {})
    const folder = path.dirname(appServer.host.name.replace('unix:', ''))
    expect(folder.length).toBeLessThan(80)
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    await using codex = await openCodex(appServer.host)
    expect(codex.codexVersion).toBe('0.166.0')
  })
})

describe.concurrent('an app-server that lost its socket', () => {
  it('takes no new threads, and is ended when the last lets go', async () => {
    await using stage = await serviceStage(HELLO)
    let now = Date.now()
    const pool = stage.pool({ now: () => now })
    const lost = await pool.get(stage.key, {})
    const letGo = lost.hold()
    rmSync(lost.host.name.replace('unix:', ''))
    for (let look = 0; look < 4; look++) {
      expect(lost.isDraining).toBe(false)
      await pool.look()
    }
    expect(lost.isDraining).toBe(true)
    expect((await pool.get(stage.key, {})).id).not.toBe(lost.id)
    now += 10_000
    letGo()
    expect((await within(15_000, lost.ended)).reason).toContain('it takes no more connections')
  })
})

describe.concurrent('over pipes', () => {
  it('an app-server is opened once, and goes with the pool', async () => {
    await using stage = await serviceStage(HELLO)
    const pool = stage.pool({ transport: 'stdio' })
    const appServer = await pool.get(stage.key, {})
    expect(appServer.outlivesUs).toBe(false)
    const codex = await openCodex(appServer.host)
    expect(await rejection(appServer.host.open({}))).toMatchObject({ code: 'app-server-taken' })
    const thread = await codex.startThread({ cwd: stage.cwd })
    expect(await (await thread.startTurn('hi')).outcome).toMatchObject({ status: 'completed' })
    await pool.release()
    expect((await appServer.ended).reason).toMatch(/^codex exited with code 0/)
    stage.expectNothingLeft()
    expect(appServer.isAlive()).toBe(false)
  })

  it('one that dies is told, and another is started', async () => {
    await using stage = await serviceStage(HELLO)
    const pool = stage.pool({ transport: 'stdio' })
    const appServer = await pool.get(stage.key, {})
    process.kill(pool.list()[0]!.pid!, 'SIGKILL')
    expect((await within(10_000, appServer.ended)).reason).toContain('codex was ended by SIGKILL')
    expect((await pool.get(stage.key, {})).id).not.toBe(appServer.id)
  })
})

describe('a codex that is stopped', () => {
  it('loses its connection after two intervals, but is not taken for dead', async () => {
    await using stage = await serviceStage(HELLO)
    const pool = stage.pool({ limits: { pingEveryMs: 400 } })
    const appServer = await pool.get(stage.key, {})
    // The intervals are the test's own: how soon a busy machine lets codex answer says nothing about the connection.
    const pulse = testPulse()
    const codex = await openCodex(appServer.host)
    const thread = await codex.startThread({ cwd: stage.cwd })
    expect(await (await thread.startTurn('hi')).outcome).toMatchObject({ status: 'completed' })
    // Nothing comes but the answers to our pings.
    for (let interval = 0; interval < 5; interval++) await pulse.next({ isAnswered: true })
    expect(pulse.isOpen()).toBe(true)
    process.kill(codex.pid!, 'SIGSTOP')
    await eventually(() => isStopped(codex.pid!), 'codex is stopped')
    await pulse.next({ isAnswered: false })
    expect(pulse.isOpen()).toBe(true)
    await pulse.next({ isAnswered: false })
    expect(pulse.isOpen()).toBe(false)
    const reason = await within(10_000, codex.closed)
    expect(reason.message).toContain('has answered nothing for 400 ms')
    expect(reason.hasCodexEnded).toBe(false)
    expect(appServer.isAlive()).toBe(true)
    process.kill(codex.pid!, 'SIGCONT')
    await using again = await openCodex(appServer.host)
    expect(again.pid).toBe(codex.pid)
  })
})

/** Intervals that pass when the test says so, until it ends. For one connection. */
function testPulse() {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const { ping } = WebSocket.prototype
  let answers = 0
  const pings = vi.spyOn(WebSocket.prototype, 'ping').mockImplementation(function (this: WebSocket) {
    this.once('pong', () => answers++)
    ping.call(this)
  })
  onTestFinished(() => {
    vi.useRealTimers()
    pings.mockRestore()
  })
  return {
    isOpen: () => (pings.mock.contexts[0] as WebSocket).readyState === WebSocket.OPEN,
    /** Another interval has passed; where codex can answer, its answer is awaited. */
    async next({ isAnswered }: { isAnswered: boolean }): Promise<void> {
      // Before it has passed, all that codex has sent is read; after it, our own look is over.
      await delay(1)
      vi.advanceTimersByTime(400)
      await delay(1)
      if (isAnswered) await eventually(() => answers === pings.mock.calls.length, 'a ping is answered')
    },
  }
}

/** All threads of it. */
function isStopped(pid: number): boolean {
  const threads = readdirSync(`/proc/${pid}/task`)
  return threads.every((thread) => / T /.test(readFileSync(`/proc/${pid}/task/${thread}/stat`, 'latin1')))
}

describe('a fresh codex home', () => {
  it('is made ready by one process while the others wait', async () => {
    await using stage = await serviceStage(HELLO)
    const registryDir = path.join(stage.dataDir, 'app-servers')
    const { host } = stage.poolOptions
    const run = { host: { ...host, codexHome: stage.key.codexHome, registryDir }, cwd: stage.cwd }
    const script = fileURLToPath(new URL('owner.mjs', import.meta.url))
    const owners = [1, 2, 3].map(async () => {
      const owner = spawn(process.execPath, [script, JSON.stringify(run)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const exited = once(owner, 'exit')
      const lines = createInterface({ input: owner.stdout })
      expect(await Promise.race([once(lines, 'line'), exited])).toEqual([expect.stringMatching(/^\d+$/)])
      owner.kill('SIGKILL')
      await exited
    })
    const service = stage.service()
    await within(30_000, Promise.all(owners))
    await (await service).kill()
    const pool = appServerPool({ ...stage.poolOptions, limits: { lookEveryMs: null } })
    expect(await pool.adopt({})).toHaveLength(1)
    await pool.endAll()
  })
})
