// Tasks on a machine of its own that is reached with ssh, added to the service as a person would add it.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DEFAULT_PROTECTED_PATHS } from '../../../src/config/trust/protected-paths.ts'
import { codexConfig, type ModelScript, makeWorkspace } from '../../../src/testing/index.ts'
import { ALICE, openTasks } from '../open-tasks.ts'
import { type SshStage, type SshStageOptions, sshStage } from './ssh-stage.ts'

const QUICK = { retryBaseMs: 50, retryMaxMs: 400, aliveSeconds: 1, connectMs: 5_000 }

interface RemoteOptions extends SshStageOptions {
  readonly mode?: 'exec' | 'remote'
  readonly tasks?: Partial<Parameters<typeof openTasks>[1]>
  /** At the end of the config.toml of the user there. */
  readonly toml?: string
}

/** The host is called box; its codex has the model of the test, and works in `cwd`. */
export async function remoteTasks(script: ModelScript, options: RemoteOptions = {}) {
  const machine = await sshStage(options)
  return { ...(await tasksOn(machine, script, options)), machine }
}

/** Another service that uses the same machine. */
export async function tasksOn(
  machine: SshStage,
  script: ModelScript,
  { mode = 'remote', toml = '', tasks = {} }: RemoteOptions = {},
) {
  const home = await makeWorkspace()
  const env = { PATH: process.env.PATH, HOME: home.path }
  const remote = {
    protect: DEFAULT_PROTECTED_PATHS,
    passEnv: Object.keys(machine.env),
    limits: { lookEveryMs: null },
    ...tasks.sshHosts?.remote,
  }
  const stage = await openTasks(script, {
    ...tasks,
    sshHosts: { env, times: QUICK, ...tasks.sshHosts, remote },
  })
  const { url } = stage.model
  await machine.offer(Number(new URL(url).port))
  await giveCodex(machine, codexConfig({ url }, { toml }))
  mkdirSync(path.join(stage.dataDir, 'ssh'), { recursive: true })
  writeFileSync(path.join(stage.dataDir, 'ssh/known_hosts'), readFileSync(machine.knownHosts))
  const destination = `${machine.user}@${machine.address}:${machine.port}`
  const { identityFile: identity, codexPath } = machine
  await stage.sshHosts.add({ name: 'box', destination, identity, codexPath, mode }, { by: ALICE.actor })
  const cwd = `${machine.home}/project`
  const own = mode === 'remote' ? { codexHome: undefined } : {}
  const on = (prompt: string, more: object = {}) =>
    stage.request(prompt, { host: 'box', cwd, keepOpen: true, ...own, ...more })
  return { ...stage, on, cwd }
}

async function giveCodex(machine: SshStage, config: string): Promise<void> {
  for (const folder of ['project', '.codex'])
    mkdirSync(path.join(machine.homeHere, folder), { recursive: true })
  writeFileSync(path.join(machine.homeHere, '.codex/config.toml'), config)
  for (const folder of ['project', '.codex']) await machine.own(folder)
}
