import { randomBytes } from 'node:crypto'
import type { Protection } from '../../codex/index.ts'
import { identify, MARKER_VARIABLE, sessionName } from '../processes.ts'
import { removeRecord, writeRecord } from '../registry.ts'
import { appServerArguments } from './app-server-arguments.ts'
import type { ReportStart } from './first-start.ts'
import { LocalAppServer } from './local-app-server.ts'
import type { LocalSettings } from './local-codex.ts'
import { spawnCodex } from './spawn-codex.ts'
import type { PipedChild } from './stdio-channel.ts'

export interface AppServerStart extends LocalSettings {
  readonly codex: { readonly path: string; readonly version: string }
  readonly reportStart: ReportStart
  readonly protection: Protection | null
}

/** After this long an app-server that was never spoken to no longer holds back the next one on its home. */
const FIRST_START_MS = 5_000

/** Spawns `codex app-server` and puts it on record before anyone can speak to it. */
export async function startAppServer(start: AppServerStart): Promise<LocalAppServer> {
  const { codex, registryDir, reportStart } = start
  const marker = randomBytes(16).toString('hex')
  const child = await spawnCodex(codex.path, {
    args: appServerArguments(marker, start),
    env: { ...start.env, [MARKER_VARIABLE]: marker },
    cwd: start.cwd,
  })
  reportSilence(child, reportStart)
  const appServer = new LocalAppServer(child, {
    marker,
    codexVersion: codex.version,
    protection: start.protection,
    maxLineBytes: start.maxLineBytes,
    onFirstOutput: () => reportStart(true),
    onEnded: ({ survivors }) => {
      // A record with survivors stays: whoever reaps after us tries again.
      if (registryDir && survivors.length === 0) removeRecord(registryDir, marker)
    },
  })
  try {
    if (registryDir) record(registryDir, { id: marker, appServer, start })
    return appServer
  } catch (error) {
    await appServer.close()
    throw error
  }
}

function reportSilence(child: PipedChild, reportStart: ReportStart): void {
  const timer = setTimeout(() => reportStart(true), FIRST_START_MS).unref()
  child.once('exit', () => {
    clearTimeout(timer)
    reportStart(false)
  })
}

function record(
  registryDir: string,
  { id, appServer, start }: { id: string; appServer: LocalAppServer; start: AppServerStart },
): void {
  writeRecord(registryDir, {
    id,
    pid: appServer.pid,
    start: appServer.identity?.start ?? '',
    session: appServer.identity && sessionName(appServer.identity),
    ownerPid: process.pid,
    ownerStart: identify(process.pid)?.start ?? '',
    codexPath: start.codex.path,
    codexVersion: start.codex.version,
    codexHome: start.env.CODEX_HOME ?? null,
    startedAt: new Date().toISOString(),
  })
}
