import { realpathSync } from 'node:fs'
import { makeFolder } from '../../util/make-folder.ts'
import { openHere, runHere } from './local-command.ts'
import { localFiles } from './local-files.ts'
import type { Machine } from './machine.ts'

export interface LocalMachineOptions {
  /** Commands see of it what they inherit. */
  readonly env: NodeJS.ProcessEnv
  /** The data folder. */
  readonly hidden: string
  readonly work: string
}

export function localMachine({ env, hidden, work }: LocalMachineOptions): Machine {
  return {
    host: null,
    files: localFiles,
    run: (command) => runHere(env, command),
    open: (command) => openHere(env, command),
    folders: async () => {
      for (const folder of [hidden, work]) makeFolder(folder)
      return { home: env.HOME ?? env.USERPROFILE ?? null, hidden, work: realpathSync(work) }
    },
  }
}
