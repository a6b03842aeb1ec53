import { existsSync } from 'node:fs'
import path from 'node:path'
import { redact } from '../../codex/index.ts'
import { type Check, messageOf, ok, warn } from './check.ts'

/** The hooks of the settings, and what they lack. None of them is run. */
export async function checkHooks(dataFolder: string, env: NodeJS.ProcessEnv): Promise<Check[]> {
  const { readSettings } = await import('../../config/index.ts')
  try {
    const { hooks } = readSettings(dataFolder, env)
    return Object.entries(hooks).map(([name, hook]) => {
      const { on, command, module, folders, passEnv } = hook
      const file = module === undefined ? null : path.resolve(dataFolder, module)
      const unset = passEnv.find((variable) => !env[variable])
      const missing = [...(file === null ? [] : [file]), ...folders].find((place) => !existsSync(place))
      if (missing !== undefined)
        return warn(
          'hooks',
          `the hook ${name} names ${missing}, which is not there`,
          'correct it in settings.json',
        )
      if (unset !== undefined)
        return warn('hooks', `the hook ${name} is to get the variable ${unset}, which is not set here`)
      return ok(
        'hooks',
        `the hook ${name} runs ${whenText(on)}, outside of the sandbox: ${redact(file ?? command!)}`,
      )
    })
  } catch (error) {
    // Settings that cannot be read are told of by every command that needs them.
    return [warn('hooks', `the hooks are not known: ${messageOf(error)}`, 'correct settings.json')]
  }
}

function whenText(on: string): string {
  return (
    {
      before: 'before the first turn of a task',
      after: 'when a task ends',
      onDeliverable: 'when a task hands over a file',
      onUpload: 'when a file is uploaded',
    }[on] ?? 'when Codex asks a question'
  )
}
