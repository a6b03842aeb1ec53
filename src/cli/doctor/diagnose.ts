import { accessSync, constants } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import path from 'node:path'
import { VERSION } from '../../codex/index.ts'
import { dataDir, localHost } from '../../hosts/index.ts'
import { type AppServerFindings, checkAppServer } from './app-server-checks.ts'
import { type Check, ok } from './check.ts'
import { checkCodex } from './codex-check.ts'
import { checkDatabases, checkStore } from './database-checks.ts'
import { checkDataFolder } from './folder-checks.ts'
import { checkHooks } from './hook-checks.ts'
import type { Report } from './report.ts'
import { checkTools } from './tool-checks.ts'

export interface DiagnoseOptions {
  readonly env: NodeJS.ProcessEnv
  readonly codexPath: string | undefined
  readonly codexHome: string | undefined
  /** Ours, where it is not the default one. */
  readonly dataFolder?: string | undefined
  readonly signal: AbortSignal
}

/** Looks at everything `run` needs, and changes nothing. Rejects only when the signal aborts. */
export async function diagnose(options: DiagnoseOptions): Promise<Report> {
  const { env, codexPath, codexHome, signal } = options
  const { platform } = process
  const dataFolder = options.dataFolder ?? dataDir({ env, platform })
  // Not as the option `codexHome`, which makes the folder. Unrecorded, because recording reaps orphans first;
  // should we be killed, codex ends by itself when its input does.
  const hostEnv = codexHome === undefined ? env : { ...env, CODEX_HOME: path.resolve(codexHome) }
  const host = localHost({ env: hostEnv, codexPath, registryDir: null })
  const { check, codex } = await checkCodex(host, { signal })
  const machine = {
    platform,
    tempDir: env.TMPDIR || tmpdir(),
    hasBubblewrap: isOnPath('bwrap', env),
    codexHome: hostEnv.CODEX_HOME || path.join(env.HOME || homedir(), '.codex'),
  }
  const found = codex ? await checkAppServer(host, { machine, signal }) : NOTHING
  const databases = [await checkStore(dataFolder, env), ...(await checkDatabases(dataFolder))]
  const tools = await checkTools(dataFolder, env)
  const hooks = await checkHooks(dataFolder, env)
  const checks = [
    nodeCheck(),
    checkDataFolder(dataFolder),
    ...databases,
    ...tools,
    ...hooks,
    check,
    ...found.checks,
  ]
  return reportOf({ checks, codex, codexHome: found.codexHome, dataFolder })
}

const NOTHING: AppServerFindings = { checks: [], codexHome: null }

function reportOf(found: Pick<Report, 'checks' | 'codex' | 'codexHome' | 'dataFolder'>): Report {
  const isOk = found.checks.every(({ status }) => status !== 'fail')
  return { ok: isOk, drawbridge: VERSION, node: process.versions.node, ...found }
}

/** An older Node does not get this far: the launcher has said so. */
function nodeCheck(): Check {
  return ok('node', `Node ${process.versions.node} on ${process.platform} ${process.arch}`)
}

function isOnPath(program: string, { PATH = '' }: NodeJS.ProcessEnv): boolean {
  return PATH.split(path.delimiter).some((folder) => {
    try {
      accessSync(path.join(folder, program), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}
