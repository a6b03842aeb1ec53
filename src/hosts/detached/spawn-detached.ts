import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync } from 'node:fs'
import type { DetachedFacts, DetachedRecord } from '../app-server-record.ts'
import { appServerArguments } from '../local/app-server-arguments.ts'
import { spawnFailure } from '../local/codex-version.ts'
import type { LocalSettings } from '../local/local-codex.ts'
import { refuseMissingFolder } from '../local/spawn-codex.ts'
import { identify, MARKER_VARIABLE, sessionName } from '../processes.ts'
import { removeRecord, writeRecord } from '../registry.ts'
import { DetachedAppServer, type DetachedOptions } from './detached-app-server.ts'
import { openStderrLog } from './stderr-log.ts'

export interface DetachedStart extends DetachedOptions {
  readonly id: string
  readonly codex: { readonly path: string; readonly version: string }
  readonly settings: LocalSettings
  readonly detached: DetachedFacts
  readonly startedAt: number
}

/** Starts codex as the leader of its own session, on record before and after: nothing is left when this rejects. */
export async function spawnDetached(start: DetachedStart): Promise<DetachedAppServer> {
  const { id, codex, registryDir } = start
  // Should we be killed before we know the pid, the process is found by its marker.
  const intent = intentOf(start)
  writeRecord(registryDir, intent)
  let child: ChildProcess
  try {
    child = spawnListening(start)
    if (child.pid === undefined) throw (await once(child, 'error'))[0]
  } catch (error) {
    removeRecord(registryDir, id)
    throw spawnFailure(codex.path, error)
  }
  const identity = identify(child.pid)
  const started = {
    pid: child.pid,
    start: identity?.start ?? '',
    session: identity && sessionName(identity),
  }
  const appServer = new DetachedAppServer({ ...intent, ...started }, child, start)
  try {
    writeRecord(registryDir, appServer.record)
    return appServer
  } catch (error) {
    await appServer.end('it could not be recorded')
    throw error
  }
}

function spawnListening({ id, codex, settings, detached }: DetachedStart): ChildProcess {
  if (settings.cwd !== undefined) refuseMissingFolder(settings.cwd)
  const stderr = openStderrLog(detached.stderrPath)
  try {
    const args = [
      ...appServerArguments(id, { ...settings, protection: detached.protection ?? null }),
      '--listen',
      `unix://${detached.socketPath}`,
    ]
    const child = spawn(codex.path, args, {
      env: { ...settings.env, [MARKER_VARIABLE]: id },
      cwd: settings.cwd,
      stdio: ['ignore', 'ignore', stderr],
      detached: true,
    })
    child.on('error', () => {}) // it is told where it matters: no pid, or an exit
    return child
  } finally {
    closeSync(stderr)
  }
}

function intentOf({ id, codex, settings, detached, startedAt }: DetachedStart): DetachedRecord {
  return {
    id,
    pid: 0,
    start: '',
    ownerPid: process.pid,
    ownerStart: identify(process.pid)?.start ?? '',
    codexPath: codex.path,
    codexVersion: codex.version,
    codexHome: settings.env.CODEX_HOME ?? null,
    startedAt: new Date(startedAt).toISOString(),
    detached,
  }
}
