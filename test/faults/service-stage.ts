import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { type AppServerPool, type AppServerPoolOptions, appServerPool } from '../../src/hosts/index.ts'
import {
  type CodexHomeOptions,
  type ModelScript,
  makeCodexHome,
  makeWorkspace,
  type ScratchFolder,
  type ScriptedModel,
  startScriptedModel,
} from '../../src/testing/index.ts'
import { bundledCodex } from '../support/raw-codex.ts'
import { FASTER_NODE, processesTagged, TAG_VARIABLE, within } from './processes.ts'

interface Made {
  readonly model: ScriptedModel
  readonly home: ScratchFolder
  readonly workspace: ScratchFolder
}

/** What a service has: a data folder, a codex home, a model. When it is disposed of, nothing may be left running. */
export class ServiceStage implements AsyncDisposable {
  readonly tag = randomUUID()
  readonly dataDir = mkdtempSync(path.join(tmpdir(), 'service-'))
  readonly key = { codexPath: null, codexHome: '' as string | null, execHost: null }
  readonly model: ScriptedModel
  readonly cwd: string
  readonly #made: Made
  readonly #pools: AppServerPool[] = []

  constructor(made: Made) {
    this.#made = made
    this.model = made.model
    this.cwd = made.workspace.path
    this.key.codexHome = made.home.path
  }

  get poolOptions(): AppServerPoolOptions {
    const env = { ...process.env, DRAWBRIDGE_CODEX: path.resolve(bundledCodex()) }
    return { dataDir: this.dataDir, host: { env, extraEnv: { [TAG_VARIABLE]: this.tag } } }
  }

  /** A pool on the data folder that only looks when it is told to. */
  pool({ limits, ...options }: Partial<AppServerPoolOptions> = {}): AppServerPool {
    const pool = appServerPool({ ...this.poolOptions, ...options, limits: { lookEveryMs: null, ...limits } })
    this.#pools.push(pool)
    return pool
  }

  /** A service in a process of its own, with a turn in progress. */
  async service() {
    const options = JSON.stringify({ pool: this.poolOptions, key: this.key, cwd: this.cwd })
    const child = spawn(process.execPath, [fileURLToPath(new URL('service.mjs', import.meta.url)), options], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...FASTER_NODE },
    })
    const [line] = (await within(20_000, once(createInterface({ input: child.stdout }), 'line'))) as [string]
    const started = JSON.parse(line) as { pid: number; threadId: string; turnId: string }
    // Before that codex (0.166) has not stored the thread, and answers a resume with "list_turns is not supported yet".
    await this.model.waitForRequests(1)
    async function kill() {
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
    }
    return { ...started, kill }
  }

  records(): string[] {
    return filesIn(path.join(this.dataDir, 'app-servers'))
  }

  /** Nothing runs, and nothing says that it does. */
  expectNothingLeft(): void {
    expect(processesTagged(this.tag)).toEqual([])
    expect(
      ['app-servers', 'sockets', 'app-server-logs'].flatMap((name) => filesIn(path.join(this.dataDir, name))),
    ).toEqual([])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      for (const pool of this.#pools) await pool.endAll()
      const last = this.pool()
      await last.adopt({})
      await last.endAll()
      this.expectNothingLeft()
    } finally {
      const { model, home, workspace } = this.#made
      await model.close()
      await Promise.all([home.remove(), workspace.remove()])
      rmSync(this.dataDir, { recursive: true, force: true })
    }
  }
}

export async function serviceStage(script: ModelScript, home: CodexHomeOptions = {}): Promise<ServiceStage> {
  const model = await startScriptedModel(script, { repeatLast: true })
  return new ServiceStage({ model, home: await makeCodexHome(model, home), workspace: await makeWorkspace() })
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
