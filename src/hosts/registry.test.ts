import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { AppServerRecord } from './app-server-record.ts'
import { fixture, scratch } from './fixtures/scratch.ts'
import { identify, isAlive, processesWithMarker } from './processes.ts'
import { reapOrphans } from './reap-orphans.ts'
import { removeRecord, writeRecord } from './registry.ts'
import { until } from './until.ts'

const { fakeCodex, scratchFolder } = scratch(onTestFinished)

const dead = { pid: 2 ** 22 - 1, start: '' }

function recordOf(changes: Partial<AppServerRecord> = {}): AppServerRecord {
  const us = identify(process.pid)!
  return {
    id: '0123456789abcdef0123456789abcdef',
    pid: dead.pid,
    start: us.start,
    ownerPid: us.pid,
    ownerStart: us.start,
    codexPath: '/bin/codex',
    codexVersion: '0.166.0',
    codexHome: null,
    startedAt: '2026-01-01T00:00:00.000Z',
    ...changes,
  }
}

/** A Drawbridge of its own, with an app-server that outlives it; resolves with both pids. */
async function ownerWithAppServer(
  registryDir: string,
  starts: object[],
): Promise<{ owner: number; appServer: number }> {
  const extraEnv = { FAKE_CODEX: JSON.stringify({ ignoresEnd: true, starts }) }
  const options = { codexPath: fakeCodex(), codexHome: scratchFolder(), registryDir, extraEnv }
  const owner = spawn(process.execPath, [fixture('owner.mjs'), JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void owner.kill('SIGKILL'))
  const [line] = await once(createInterface({ input: owner.stdout }), 'line')
  return { owner: owner.pid!, appServer: Number(line) }
}

describe('reaping', () => {
  it('ends the app-server of a killed owner with what it started, and no other', async () => {
    const registryDir = scratchFolder()
    const ready = path.join(scratchFolder(), 'ready')
    const starts = [{ script: `setsid -f sh -c 'echo > ${ready}; exec sleep 300'` }]
    const { owner, appServer } = await ownerWithAppServer(registryDir, starts)
    const [marker] = readdirSync(registryDir).map((name) => name.replace('.json', ''))
    expect(await until(() => existsSync(ready), 5000)).toBe(true)

    expect(await reapOrphans(registryDir)).toEqual([])
    expect(identify(appServer)).not.toBeNull()

    process.kill(owner, 'SIGKILL')
    expect(await until(() => identify(owner) === null, 2000)).toBe(true)
    const [reaped] = await reapOrphans(registryDir)
    expect(reaped).toMatchObject({
      wasRunning: true,
      survivors: [],
      record: { pid: appServer, ownerPid: owner },
    })
    expect(identify(appServer)).toBeNull()
    expect(await processesWithMarker(marker!)).toEqual([])
    expect(readdirSync(registryDir)).toEqual([])
  })

  it('removes the record of an app-server that is gone too', async () => {
    const registryDir = scratchFolder()
    writeRecord(registryDir, recordOf({ ownerPid: dead.pid }))
    const [reaped] = await reapOrphans(registryDir)
    expect(reaped).toMatchObject({ wasRunning: false, leftovers: [], survivors: [] })
    expect(readdirSync(registryDir)).toEqual([])
  })

  it('spares a process that got the pid of a dead app-server or of a dead owner', async () => {
    const registryDir = scratchFolder()
    const stranger = spawn('sleep', ['300'], { detached: true })
    onTestFinished(() => void stranger.kill())
    const identity = identify(stranger.pid!)!
    const recycled = { pid: identity.pid, start: `${identity.start}0` }
    writeRecord(registryDir, recordOf({ ...recycled, ownerPid: recycled.pid, ownerStart: recycled.start }))
    expect(await reapOrphans(registryDir)).toHaveLength(1)
    expect(isAlive(identity)).toBe(true)
  })

  it('leaves alone what is not a record, and removes a broken one after a day', async () => {
    const registryDir = scratchFolder()
    const write = (name: string, text: string, ageHours: number) => {
      const file = path.join(registryDir, name)
      const writtenAt = Date.now() / 1000 - ageHours * 3600
      writeFileSync(file, text)
      utimesSync(file, writtenAt, writtenAt)
    }
    const orphan = JSON.stringify(recordOf({ ownerPid: dead.pid }))
    write('notes.txt', 'mine', 1000)
    write('other.json', orphan, 1000)
    write(`${'a'.repeat(32)}.json`, orphan, 1)
    write(`${'b'.repeat(32)}.json`, '{"id":', 1)
    write(`${'c'.repeat(32)}.json`, '{"id":', 30)
    write(`${'d'.repeat(32)}.json.tmp`, '', 30)
    expect(await reapOrphans(registryDir)).toEqual([])
    expect(readdirSync(registryDir).sort()).toEqual([
      `${'a'.repeat(32)}.json`,
      `${'b'.repeat(32)}.json`,
      'notes.txt',
      'other.json',
    ])
  })

  it('finds nothing where there is no registry', async () => {
    expect(await reapOrphans(path.join(scratchFolder(), 'none'))).toEqual([])
  })
})

it('keeps its folder and files to the user, also when the folder was open before', () => {
  const registryDir = scratchFolder()
  const record = recordOf()
  writeRecord(registryDir, record)
  expect(readdirSync(registryDir)).toEqual([`${record.id}.json`])
  expect(statSync(registryDir).mode & 0o777).toBe(0o700)
  removeRecord(registryDir, record.id)
  removeRecord(registryDir, record.id)
  expect(readdirSync(registryDir)).toEqual([])
})
