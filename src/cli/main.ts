// Runs the command line, and says how a mistake ends: one in using it, one of the system, one of ours.

import { CommanderError } from 'commander'
import { EXIT } from './exit-code.ts'
import { plainError } from './plain-error.ts'
import { onScreen } from './printable.ts'
import { makeProgram } from './program.ts'
import { processSurroundings } from './surroundings.ts'
import { callItBy, typedName } from './typed-name.ts'

const surroundings = processSurroundings()
callItBy(() => typedName({ script: surroundings.self.at(-1)!, env: surroundings.env, cwd: currentFolder() }))
process.on('uncaughtException', (error) => surroundings.leave(tell(error)))
try {
  await makeProgram(surroundings).parseAsync()
} catch (error) {
  surroundings.exit(error instanceof CommanderError ? usageCode(error) : tell(error))
}

/** commander has printed what is wrong; help and --version arrive here too. */
function usageCode({ exitCode }: CommanderError): number {
  return exitCode === 0 ? EXIT.done : EXIT.usage
}

function tell(error: unknown): number {
  const { text, exitCode } = plainError(error)
  surroundings.stderr.write(onScreen(`drawbridge: ${text}\n`))
  return exitCode
}

/** null when it is gone: a command may still have something to say. */
function currentFolder(): string | null {
  try {
    return process.cwd()
  } catch {
    return null
  }
}
