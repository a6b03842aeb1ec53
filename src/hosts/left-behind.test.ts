import { spawn } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { AppServerRecord } from './app-server-record.ts'
import { scratch } from './fixtures/scratch.ts'
import { endLeftBehind, leftBehind } from './left-behind.ts'
import { identify, isAlive, MARKER_VARIABLE } from './processes.ts'
import { writeRecord } from './registry.ts'

const { scratchFolder } = scratch(onTestFinished)
const us = identify(process.pid)!
const DEAD = 2 ** 22 - 1

/** A process that is on record as an app-server of a service with this data folder. */
function appServer(dataDir: string, id: string, { ownerPid = DEAD, scope = dataDir } = {}) {
  const marker = id.repeat(32)
  const child = spawn('sleep', ['300'], {
    detached: true,
    stdio: 'ignore',
    env: { ...process.env, [MARKER_VARIABLE]: marker },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const identity = identify(child.pid!)!
  const stderrPath = path.join(dataDir, `${id}.log`)
  const record: AppServerRecord = {
    id: marker,
    ...identity,
    ownerPid,
    ownerStart: us.start,
    codexPath: '/bin/codex',
    codexVersion: '0.166.0',
    codexHome: null,
    startedAt: new Date().toISOString(),
    detached: {
      scope,
      socketPath: path.join(dataDir, `${id}.sock`),
      stderrPath,
      key: { codexPath: null, codexHome: null },
      settings: '',
    },
  }
  writeFileSync(stderrPath, 'words')
  writeRecord(path.join(dataDir, 'app-servers'), record)
  return { identity, stderrPath }
}

it('ends the app-servers of a data folder whose service is gone, and no others', async () => {
  const dataDir = scratchFolder()
  const left = appServer(dataDir, 'a')
  const owned = appServer(dataDir, 'b', { ownerPid: process.pid })
  const foreign = appServer(dataDir, 'c', { scope: '/another/folder' })
  expect(leftBehind(dataDir)).toBe(1)
  expect(await endLeftBehind(dataDir)).toMatchObject([{ wasRunning: true, survivors: [] }])
  expect([left, owned, foreign].map(({ identity }) => isAlive(identity))).toEqual([false, true, true])
  expect([left, owned].map(({ stderrPath }) => existsSync(stderrPath))).toEqual([false, true])
  expect(leftBehind(dataDir)).toBe(0)
})

it('finds none where there is no data folder', async () => {
  const nowhere = path.join(scratchFolder(), 'none')
  expect([leftBehind(nowhere), await endLeftBehind(nowhere)]).toEqual([0, []])
})
