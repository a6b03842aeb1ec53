import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { connect, type DrawbridgeClient, readToken } from '../../../src/api/index.ts'
import {
  type CodexHomeOptions,
  type ModelScript,
  makeCodexHome,
  makeWorkspace,
  startScriptedModel,
} from '../../../src/testing/index.ts'

export type Started = Awaited<ReturnType<typeof startService>>

const PROGRAM = fileURLToPath(new URL('service.ts', import.meta.url))

export interface ServiceOptions {
  readonly home?: CodexHomeOptions
  readonly files?: Readonly<Record<string, string>>
}

/** A service on the real codex and a model that follows the script; `stop` leaves nothing behind. */
export async function startService(script: ModelScript, options: ServiceOptions = {}) {
  const model = await startScriptedModel(script)
  const home = await makeCodexHome(model, options.home)
  const workspace = await makeWorkspace({ files: options.files, git: options.files !== undefined })
  const data = await makeWorkspace()
  const port = await freePort()
  let child: ChildProcess | null = null
  let client: DrawbridgeClient | null = null

  async function start() {
    const env = { ...process.env, CODEX_HOME: home.path }
    child = spawn(process.execPath, [PROGRAM, JSON.stringify({ dataDir: data.path, port })], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env,
    })
    const line = once(createInterface({ input: child.stdout! }), 'line') as Promise<[string]>
    const ended = once(child, 'exit').then(() => {
      throw new Error('the service ended before it served')
    })
    const [text] = await Promise.race([line, ended])
    ended.catch(() => {})
    const said = JSON.parse(text) as { url: string; loginLink: string }
    client = connect({ url: said.url, token: readToken(data.path)!, actor: 'test' })
    return said
  }
  async function end(signal: NodeJS.Signals) {
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill(signal)
    await exited
  }
  const first = await start()
  return {
    url: first.url,
    loginLink: first.loginLink,
    model,
    cwd: workspace.path,
    codexHome: home.path,
    client: () => client!,
    kill: () => end('SIGKILL'),
    restart: async () => void (await start()),
    stop: async () => {
      // One that was killed left its app-servers running: the next one ends them.
      if (child?.signalCode === 'SIGKILL') await start()
      await end('SIGTERM')
      await model.close()
      await Promise.all([home.remove(), workspace.remove(), data.remove()])
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
