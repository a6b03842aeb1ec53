// `drawbridge serve`, in a process of its own so that it can be killed under an open page.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { connect, type DrawbridgeClient, readToken } from '../../../src/api/index.ts'
import {
  type CodexHomeOptions,
  type ModelScript,
  makeCodexHome,
  makeWorkspace,
  startScriptedModel,
} from '../../../src/testing/index.ts'

export interface ServiceOptions {
  readonly home?: CodexHomeOptions
  /** Makes the workspace a repository with these files. */
  readonly files?: Readonly<Record<string, string>>
}

interface Said {
  readonly url: string
  readonly loginLink: string
}

export type RunningService = Awaited<ReturnType<typeof startService>>

/** A service on the real codex and a model that follows the script. `stop` leaves nothing behind. */
export async function startService(script: ModelScript, options: ServiceOptions = {}) {
  const model = await startScriptedModel(script)
  const home = await makeCodexHome(model, options.home)
  const workspace = await makeWorkspace({ files: options.files, git: options.files !== undefined })
  const data = await makeWorkspace()
  const port = await freePort()
  const dataDir = data.path
  const start = () => serve({ dataDir, port, codexHome: home.path })
  let { child, said } = await start()
  const client: DrawbridgeClient = connect({ url: said.url, token: readToken(dataDir)!, actor: 'test' })

  async function end(): Promise<void> {
    const { items } = await client.tasks.list({
      status: ['queued', 'starting', 'working', 'waiting', 'limited'],
    })
    await Promise.all(items.map(({ id }) => client.tasks.interrupt(id).catch(() => {})))
    const exited = once(child, 'exit')
    await client.shutdown({ drain: true })
    await exited
  }
  return {
    ...said,
    model,
    client,
    dataDir,
    cwd: workspace.path,
    /** As a power cut would. */
    kill: async () => {
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
    },
    end,
    restart: async () => {
      ;({ child, said } = await start())
    },
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) await end()
      await model.close()
      await Promise.all([home.remove(), workspace.remove(), data.remove()])
    },
  }
}

interface Place {
  readonly dataDir: string
  readonly port: number
  readonly codexHome: string
}

async function serve({ dataDir, port, codexHome }: Place): Promise<{ child: ChildProcess; said: Said }> {
  const args = ['src/cli/main.ts', 'serve', '--data-dir', dataDir, '--port', String(port), '--json']
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, CODEX_HOME: codexHome, NODE_COMPILE_CACHE: 'node_modules/.cache/compiled' },
  })
  const line = once(createInterface({ input: child.stdout }), 'line') as Promise<[string]>
  const ended = once(child, 'exit').then(() => null)
  const first = await Promise.race([line, ended])
  if (first === null) throw new Error('the service ended before it served')
  return { child, said: JSON.parse(first[0]) as Said }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
