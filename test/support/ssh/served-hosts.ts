// `drawbridge serve` with one machine that is reached with ssh, added in both modes as a person would add it. For programs
// and tests alike: nothing here is of the test runner.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { connect, type DrawbridgeClient, readToken, type Task } from '../../../src/api/index.ts'
import {
  codexConfig,
  type ModelScript,
  makeCodexHome,
  makeWorkspace,
  type ScriptedModel,
  startScriptedModel,
} from '../../../src/testing/index.ts'
import { PROGRAM } from '../program.ts'
import { openSshStage, type SshStage, type SshStageOptions } from './open-ssh-stage.ts'

export type Place = 'local' | 'exec' | 'remote'

export interface ServedHosts {
  readonly model: ScriptedModel
  readonly machine: SshStage
  readonly dataDir: string
  /** Of the service that runs now. */
  client(): DrawbridgeClient
  start(place: Place, prompt: string, more?: object): Promise<Task>
  kill(): Promise<void>
  serve(): Promise<void>
  close(): Promise<void>
}

export async function serveHosts(
  script: ModelScript,
  { settings = {}, ...options }: SshStageOptions & { readonly settings?: object } = {},
): Promise<ServedHosts> {
  const model = await startScriptedModel(script)
  const home = await makeCodexHome(model)
  const workspace = await makeWorkspace()
  // Where the user of the host may not look.
  const data = await makeWorkspace()
  const machine = await openSshStage(options)
  await machine.offer(Number(new URL(model.url).port))
  for (const folder of ['project', '.codex']) mkdirSync(path.join(machine.homeHere, folder))
  writeFileSync(path.join(machine.homeHere, '.codex/config.toml'), codexConfig(model))
  for (const folder of ['project', '.codex']) await machine.own(folder)
  writeFileSync(path.join(data.path, 'settings.json'), JSON.stringify(settings), { mode: 0o600 })
  let service = await startService(data.path, home.path)
  const served: ServedHosts = {
    model,
    machine,
    dataDir: data.path,
    client: () => service.client,
    start: (place, prompt, more = {}) => {
      const isLocal = place === 'local'
      return service.client.tasks.start({
        prompt,
        cwd: isLocal ? workspace.path : `${machine.home}/project`,
        ...(place !== 'remote' && { codexHome: home.path }),
        ...(!isLocal && { host: place }),
        ...more,
      })
    },
    kill: async () => {
      const exited = once(service.child, 'exit')
      service.child.kill('SIGKILL')
      await exited
    },
    serve: async () => {
      service = await startService(data.path, home.path)
    },
    close: async () => {
      const exited = once(service.child, 'exit')
      await service.client.shutdown({ drain: true })
      await exited
      await machine.close()
      await model.close()
      await Promise.all([home, workspace, data].map((each) => each.remove()))
    },
  }
  await addBoth(served)
  return served
}

async function addBoth({ machine, client }: ServedHosts): Promise<void> {
  const destination = `${machine.user}@${machine.address}:${machine.port}`
  const { identityFile: identity, codexPath } = machine
  for (const mode of ['exec', 'remote'] as const) {
    await client().addHost({ name: mode, destination, identity, codexPath, mode })
    await client().checkHost(mode, { acceptKey: machine.fingerprint(), provision: true })
  }
}

async function startService(
  dataDir: string,
  codexHome: string,
): Promise<{ child: ChildProcess; client: DrawbridgeClient }> {
  const args = [PROGRAM, 'serve', '--port', '0', '--data-dir', dataDir, '--json']
  const env = { ...process.env, CODEX_HOME: codexHome }
  const child = spawn(process.execPath, args, {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  return {
    child,
    client: connect({ url: JSON.parse(line).url, token: readToken(dataDir)!, actor: 'person' }),
  }
}
