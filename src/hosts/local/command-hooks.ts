// Hooks that are commands or modules: processes on this machine, outside of any sandbox, in a clean environment.
import { childEnvironment } from './environment.ts'
import { CommandFailedError, endCommand, runCommand, type StartedProcess } from './run-command.ts'

/** Read of what a hook is told. */
interface Facts {
  readonly task: { readonly host: string | null }
}

interface Context {
  readonly marker: string
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  readonly write: (text: string, stream?: 'stdout' | 'stderr') => void
  readonly started: (process: StartedProcess) => void
}

export interface CommandHookOptions {
  /** What variables are taken from. */
  readonly env: NodeJS.ProcessEnv
  /** Variables that the command gets beside those that every program needs. */
  readonly passEnv?: readonly string[]
}

type RunHook = (facts: Facts, context: Context) => Promise<void>

/** A command for the shell. */
export function commandHook(command: string, options: CommandHookOptions): { title: string; run: RunHook } {
  const isWindows = process.platform === 'win32'
  const args = isWindows
    ? (['cmd', '/d', '/s', '/c', command] as const)
    : (['/bin/sh', '-c', command] as const)
  return { title: command, run: (facts, context) => runHere(args, { facts, context, options }) }
}

/**
 * A file whose default export is called with the facts, in a Node process of its own: what it prints is the output, and a
 * rejection is a failure.
 */
export function moduleHook(file: string, options: CommandHookOptions): { title: string; run: RunHook } {
  const args = [process.execPath, '--input-type=module', '--eval', CALL_MODULE, file] as const
  return { title: file, run: (facts, context) => runHere(args, { facts, context, options }) }
}

const CALL_MODULE = `
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
const facts = JSON.parse(readFileSync(0, 'utf8'))
const { default: hook } = await import(pathToFileURL(process.argv[1]).href)
if (typeof hook !== 'function') throw new Error(process.argv[1] + ' has no default export that is a function')
await hook(facts)
`

/** For the next start of a service that was killed. */
export async function endLeftBehindHook(run: {
  readonly marker: string
  readonly process: StartedProcess | null
}): Promise<void> {
  await endCommand(run.marker, run.process)
}

async function runHere(
  args: readonly [string, ...string[]],
  { facts, context, options }: { facts: Facts; context: Context; options: CommandHookOptions },
): Promise<void> {
  const { host } = facts.task
  if (host !== null)
    throw new CommandFailedError(`the task works on host ${host}, where hooks cannot run in this version`)
  const { cwd, marker, signal, write, started } = context
  const { env, passEnv = [] } = options
  await runCommand(args, {
    ...{ cwd, marker, signal, onOutput: write, onStarted: started },
    env: childEnvironment(env, { passEnv, extra: context.env }),
    input: `${JSON.stringify(facts)}\n`,
  })
}
