// What all commands that speak to the service have in common: its options, how it is found, how a mistake ends.

import type { Command } from 'commander'
import type { DrawbridgeClient } from '../../api/index.ts'
import { dataDir } from '../../hosts/index.ts'
import { EXIT, type Surroundings } from '../process/index.ts'
import { tell } from '../screen/index.ts'
import { refuseFile } from './data-folder.ts'
import { findService, type RunningService } from './find-service.ts'

export interface ServiceFlags {
  readonly dataDir?: string
  readonly json?: boolean
}

export function addServiceOptions(command: Command): Command {
  return addDataDirOption(command).option('--json', 'print JSON for programs')
}

export function addDataDirOption(command: Command): Command {
  return command.option(
    '--data-dir <folder>',
    "the service's data folder (default: $DRAWBRIDGE_HOME, or by platform)",
  )
}

export function dataDirOf({ dataDir: given }: ServiceFlags, { env }: Pick<Surroundings, 'env'>): string {
  const folder = dataDir({
    env: given === undefined ? env : { ...env, DRAWBRIDGE_HOME: given },
    platform: process.platform,
  })
  refuseFile(folder)
  return folder
}

/** The service of the data folder; started in the background when none runs. */
export async function serviceClient(
  flags: ServiceFlags,
  surroundings: Surroundings,
): Promise<DrawbridgeClient> {
  const folder = dataDirOf(flags, surroundings)
  const { client, isStopping } = (await findService(folder)) ?? (await started(folder, surroundings))
  if (isStopping)
    surroundings.stderr.write('The service is stopping: what is queued begins at its next start.\n')
  return client
}

async function started(folder: string, surroundings: Surroundings): Promise<RunningService> {
  const { startService } = await import('./start-service.ts')
  return startService(folder, surroundings)
}

/** An action for commander: sets the exit code, and says what went wrong in one line. */
export function acting<A extends unknown[]>(
  surroundings: Surroundings,
  act: (...args: A) => number | Promise<number>,
): (...args: A) => Promise<void> {
  return async (...args) => {
    try {
      surroundings.exit(await act(...args))
    } catch (error) {
      if (surroundings.interrupted.aborted) return surroundings.exit(EXIT.interrupted)
      const { plainError } = await import('../errors/index.ts')
      const { text, exitCode } = plainError(error)
      tell(surroundings, `drawbridge: ${text}`)
      surroundings.exit(exitCode)
    }
  }
}
