// Runs the command line, and says how a mistake ends: one in using it, one of the system, one of ours.

import { CommanderError } from 'commander'
import { callItBy, EXIT, processSurroundings, typedName } from './process/index.ts'
import { makeProgram } from './program.ts'
import { onScreen } from './screen/index.ts'

const surroundings = processSurroundings()
callItBy(() => typedName({ script: surroundings.self.at(-1)!, env: surroundings.env, cwd: currentFolder() }))
process.on('uncaughtException', (error) => void tell(error).then(surroundings.leave, () => leaveWith(error)))
run().catch(async (error: unknown) =>
  surroundings.exit(error instanceof CommanderError ? usageCode(error) : await tell(error)),
)

async function run(): Promise<void> {
  await makeProgram(surroundings, process.argv.slice(2)).parseAsync()
}

/** commander has printed what is wrong; help and --version arrive here too. */
function usageCode({ exitCode }: CommanderError): number {
  return exitCode === 0 ? EXIT.done : EXIT.usage
}

async function tell(error: unknown): Promise<number> {
  const { plainError } = await import('./errors/index.ts')
  const { text, exitCode } = plainError(error)
  surroundings.stderr.write(onScreen(`drawbridge: ${text}\n`))
  return exitCode
}

/** For when the words for it cannot be loaded either: the disk may be gone, or this program replaced. */
function leaveWith(error: unknown): void {
  surroundings.stderr.write(`drawbridge: ${error instanceof Error ? error.name : 'error'}\n`)
  surroundings.leave(EXIT.failed)
}

/** null when it is gone: a command may still have something to say. */
function currentFolder(): string | null {
  try {
    return process.cwd()
  } catch {
    return null
  }
}
