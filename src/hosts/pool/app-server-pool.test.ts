import { spawn } from 'node:child_process'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { DetachedRecord } from '../app-server-record.ts'
import { fixture, scratch } from '../fixtures/scratch.ts'
import { identify, isAlive, sessionMembers } from '../processes.ts'
import { writeRecord } from '../registry.ts'
import { type AppServerPoolOptions, appServerPool } from './app-server-pool.ts'

const { fakeCodex, executable, scratchFolder } = scratch(onTestFinished)

function poolOf(options: Partial<AppServerPoolOptions> & { plan?: object }) {
  const { plan = {}, limits, ...rest } = options
  const host = { extraEnv: { FAKE_CODEX: JSON.stringify(plan) } }
  const pool = appServerPool({
    dataDir: scratchFolder(),
    host,
    ...rest,
    limits: { lookEveryMs: null, ...limits },
  })
  onTestFinished(() => pool.endAll())
  return pool
}

const dead = { pid: 2 ** 22 - 1, start: identify(process.pid)!.start }

function recordOf(dataDir: string, changes: Partial<DetachedRecord> = {}): DetachedRecord {
  const id = changes.id ?? '0123456789abcdef0123456789abcdef'
  return {
    id,
    ...dead,
    ownerPid: dead.pid,
    ownerStart: dead.start,
    codexPath: '/bin/codex',
    codexVersion: '0.166.0',
    codexHome: null,
    startedAt: '2026-01-01T00:00:00.000Z',
    detached: {
      scope: dataDir,
      socketPath: path.join(dataDir, `${id}.sock`),
      stderrPath: path.join(dataDir, `${id}.log`),
      key: { codexPath: null, codexHome: null },
      settings: '',
    },
    ...changes,
  }
}

describe('a codex that keeps ending', () => {
  it('is not started for ever: the last reason is told, and when it may be tried again', async () => {
    let now = 1_000_000
    const plan = { stderr: ['Error: config.toml is broken\n', '   0: <unknown>\n'], exitCode: 1 }
    const pool = poolOf({ plan, now: () => now, limits: { crashLoop: { count: 3, withinMs: 60_000 } } })
    const key = { codexPath: fakeCodex(), codexHome: scratchFolder(), execHost: null }
    for (let start = 0; start < 3; start++) {
      await expect(pool.get(key, {})).rejects.toMatchObject({
        code: 'transport-closed',
        hasCodexEnded: true,
        message: 'codex did not start: codex exited with code 1; it last said: Error: config.toml is broken',
      })
    }
    await expect(pool.get(key, {})).rejects.toMatchObject({
      code: 'app-server-crash-loop',
      retryAt: 1_060_000,
      message: expect.stringContaining('config.toml is broken'),
    })
    await expect(pool.get({ ...key, codexHome: scratchFolder(), execHost: null }, {})).rejects.toMatchObject({
      code: 'transport-closed',
    })
    now += 60_000
    await expect(pool.get(key, {})).rejects.toMatchObject({ code: 'transport-closed' })
    expect(pool.list()).toEqual([])
  })

  it('over pipes counts too', async () => {
    const pool = poolOf({
      plan: { stderr: ['no\n'], exitCode: 3 },
      transport: 'stdio',
      limits: { crashLoop: { count: 2, withinMs: 60_000 } },
    })
    const key = { codexPath: fakeCodex(), codexHome: scratchFolder(), execHost: null }
    for (let start = 0; start < 2; start++) {
      const { reason } = await (await pool.get(key, {})).ended
      expect(reason).toBe('codex exited with code 3; it last said: no')
    }
    await expect(pool.get(key, {})).rejects.toMatchObject({ code: 'app-server-crash-loop' })
  })
})

describe('a codex that', () => {
  it('never listens is given up, and ended', async () => {
    const pool = poolOf({
      plan: { ignoresEnd: true, stderr: ['thinking\n'] },
      limits: { startTimeoutMs: 300 },
    })
    const key = { codexPath: fakeCodex(), codexHome: scratchFolder(), execHost: null }
    await expect(pool.get(key, {})).rejects.toMatchObject({
      code: 'app-server-connect-timed-out',
      message: expect.stringContaining('it last said: thinking'),
    })
    expect(pool.list()).toEqual([])
  })

  it('is not there does not count as a crash', async () => {
    const pool = poolOf({ limits: { crashLoop: { count: 1, withinMs: 60_000 } } })
    const key = { codexPath: '/nowhere/codex', codexHome: null, execHost: null }
    for (let start = 0; start < 3; start++)
      await expect(pool.get(key, {})).rejects.toMatchObject({ code: 'codex-not-found' })
  })

  it('is too old to be reached over a socket is reached over pipes', async () => {
    const version = '[ "$1" = --version ] && echo codex-cli 0.125.0 && exit'
    const codex = `exec '${process.execPath}' '${fixture('fake-codex.mjs')}' "$@"`
    const codexPath = executable(`#!/bin/sh\n${version}\n${codex}\n`)
    const appServer = await poolOf({}).get({ codexPath, codexHome: scratchFolder(), execHost: null }, {})
    expect(appServer.outlivesUs).toBe(false)
  })
})

describe('taking over', () => {
  it('forgets a record without a process, its socket and its log', async () => {
    const dataDir = scratchFolder()
    const registryDir = path.join(dataDir, 'app-servers')
    const record = recordOf(dataDir)
    writeRecord(registryDir, record)
    writeFileSync(record.detached.socketPath, '')
    writeFileSync(record.detached.stderrPath, '')
    expect(await poolOf({ dataDir }).adopt({})).toEqual([])
    expect(readdirSync(registryDir)).toEqual([])
    expect([record.detached.socketPath, record.detached.stderrPath].map((file) => existsSync(file))).toEqual([
      false,
      false,
    ])
  })

  it('spares a process that got the pid of a dead app-server, and those in its session', async () => {
    const dataDir = scratchFolder()
    const stranger = spawn('sh', ['-c', 'sleep 300 & wait'], { detached: true })
    onTestFinished(() => void process.kill(-stranger.pid!, 'SIGKILL'))
    const identity = identify(stranger.pid!)!
    const recycled = {
      pid: identity.pid,
      start: `${identity.start}0`,
      session: `${identity.start}/autogroup-1`,
    }
    writeRecord(path.join(dataDir, 'app-servers'), recordOf(dataDir, recycled))
    expect(await poolOf({ dataDir }).adopt({})).toEqual([])
    expect(isAlive(identity)).toBe(true)
    expect(await sessionMembers(identity)).toHaveLength(1)
  })

  it('leaves what belongs to the service of another data folder', async () => {
    const dataDir = scratchFolder()
    const registryDir = path.join(dataDir, 'app-servers')
    writeRecord(registryDir, recordOf('/another/folder'))
    expect(await poolOf({ dataDir }).adopt({})).toEqual([])
    expect(readdirSync(registryDir)).toHaveLength(1)
  })

  it('ends one that lives but does not answer; not when whoever asked has left', async () => {
    const dataDir = scratchFolder()
    const silent = spawn('sleep', ['300'], { detached: true })
    onTestFinished(() => void silent.kill('SIGKILL'))
    const identity = identify(silent.pid!)!
    writeRecord(path.join(dataDir, 'app-servers'), recordOf(dataDir, identity))
    const signal = AbortSignal.abort(new Error('leaving'))
    await expect(poolOf({ dataDir }).adopt({ signal })).rejects.toThrow('leaving')
    expect(isAlive(identity)).toBe(true)
    expect(await poolOf({ dataDir, limits: { adoptTimeoutMs: 200 } }).adopt({})).toEqual([])
    expect(isAlive(identity)).toBe(false)
  })
})
