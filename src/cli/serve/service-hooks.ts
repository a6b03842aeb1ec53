// The hooks of the settings, as tasks take them.
import path from 'node:path'
import { registerSecrets } from '../../codex/index.ts'
import type { Settings } from '../../config/index.ts'
import { commandHook, endLeftBehindHook, type Machine, moduleHook } from '../../hosts/index.ts'
import type { TaskHook, TaskHooks } from '../../tasks/index.ts'

interface Place {
  readonly settings: Pick<Settings, 'hooks'>
  readonly dataDir: string
  readonly env: NodeJS.ProcessEnv
  readonly machineOf: (host: string) => Promise<Machine>
}

const SECRET_NAME = /key|token|secret|passw|credential|auth/i

export function serviceHooks({ settings, dataDir, env, machineOf }: Place): TaskHooks {
  const entries = Object.entries(settings.hooks)
  const passed = entries.flatMap(([, { passEnv }]) => passEnv).filter((name) => SECRET_NAME.test(name))
  // A hook may print what it was given.
  registerSecrets(passed.map((name) => env[name]))
  const hooks = entries.map(([name, { command, module, passEnv, ...hook }]): TaskHook => {
    const options = { env, passEnv, machineOf }
    const made =
      module === undefined
        ? commandHook(command!, options)
        : moduleHook(path.resolve(dataDir, module), options)
    return { name, ...hook, ...made }
  })
  return { hooks, endLeftBehind: endLeftBehindHook }
}
