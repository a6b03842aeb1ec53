// `drawbridge serve`, in a process of its own so that it can be killed under an open page.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { connect, type DrawbridgeClient, readToken } from '../../../src/api/index.ts'
import {
  type CodexHomeOptions,
  type ModelScript,
  makeWorkspace,
  startScriptedModel,
} from '../../../src/testing/index.ts'
import { PROGRAM } from '../../support/program.ts'
import { makeUsedHome } from '../../support/used-home.ts'

export interface ServiceOptions {
  readonly home?: CodexHomeOptions
  /** Makes the workspace a repository with these files. */
  readonly files?: Readonly<Record<string, string>>
  /** Its settings.json. */
  readonly settings?: object
  /** For the service and its codex. */
  readonly env?: Readonly<Record<string, string>>
}

interface Said {
  readonly url: string
  readonly loginLink: string
}

export type RunningService = Awaited<ReturnType<typeof startService>>

/** A service on the real codex and a model that follows the script. `stop` leaves nothing behind. */
export async function startService(script: ModelScript, options: ServiceOptions = {}) {
  const model = await startScriptedModel(script)
  const home = await makeUsedHome(model, options.home)
  const workspace = await makeWorkspace({ files: options.files, git: options.files !== undefined })
  const data = await makeWorkspace()
  // What is beside the data folder goes with it.
  const place = { dataDir: path.join(data.path, 'data'), codexHome: home.path, env: options.env ?? {} }
  if (options.settings) {
    mkdirSync(place.dataDir, { mode: 0o700 })
    writeFileSync(path.join(place.dataDir, 'settings.json'), JSON.stringify(options.settings))
  }
  let running = await serve({ ...place, port: '0' })
  const { said } = running
  const { dataDir } = place
  const client: DrawbridgeClient = connect({ url: said.url, token: readToken(dataDir)!, actor: 'test' })

  async function end(): Promise<void> {
    const { items } = await client.tasks.list({
      status: ['queued', 'starting', 'working', 'waiting', 'limited'],
    })
    await Promise.all(items.map(({ id }) => client.tasks.interrupt(id).catch(() => {})))
    const exited = once(running.child, 'exit')
    await client.shutdown({ drain: true })
    await exited
  }
  return {
    ...said,
    model,
    client,
    dataDir,
    cwd: workspace.path,
    /** What it told its operator since it was last started. */
    told: () => running.told.join(''),
    /** As a power cut would. */
    kill: async () => {
      const exited = once(running.child, 'exit')
      running.child.kill('SIGKILL')
      await exited
    },
    end,
    /** Where open pages look for it. */
    restart: async () => {
      running = await serve({ ...place, port: new URL(said.url).port })
    },
    stop: async () => {
      const { child } = running
      if (child.exitCode === null && child.signalCode === null) await end()
      await model.close()
      await Promise.all([home.remove(), workspace.remove(), data.remove()])
    },
  }
}

interface Place {
  readonly dataDir: string
  readonly port: string
  readonly codexHome: string
  readonly env: Readonly<Record<string, string>>
}

interface Running {
  readonly child: ChildProcess
  readonly said: Said
  readonly told: readonly string[]
}

async function serve({ dataDir, port, codexHome, env }: Place): Promise<Running> {
  const args = [PROGRAM, 'serve', '--data-dir', dataDir, '--port', port, '--json']
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      ...env,
      CODEX_HOME: codexHome,
      NODE_COMPILE_CACHE: 'node_modules/.cache/compiled',
    },
  })
  const told: string[] = []
  child.stderr.setEncoding('utf8').on('data', (text: string) => told.push(text))
  const line = once(createInterface({ input: child.stdout }), 'line') as Promise<[string]>
  const ended = once(child, 'exit').then(() => null)
  const first = await Promise.race([line, ended])
  if (first === null) throw new Error(`the service ended before it served: ${told.join('')}`)
  return { child, said: JSON.parse(first[0]) as Said, told }
}
