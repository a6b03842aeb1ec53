// Hooks that are commands or modules: processes outside of any sandbox, in a clean environment. Commands run on the machine of
// the task, modules on this one.
import path from 'node:path'
import { DrawbridgeError, HostUnreachableError, isDrawbridgeError } from '../../codex/index.ts'
import { childEnvironment } from '../local/environment.ts'
import { CommandFailedError, endCommand, runCommand, type StartedProcess } from '../local/run-command.ts'
import { type Machine, MachineError } from '../machine/index.ts'

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
  /** Other machines that tasks work on, by name. Without it a command of a task there fails. */
  readonly machineOf?: (host: string) => Promise<Machine>
}

type RunHook = (facts: Facts, context: Context) => Promise<void>

interface Run {
  readonly facts: Facts
  readonly context: Context
  readonly options: CommandHookOptions
}

/** A command for the shell. */
export function commandHook(command: string, options: CommandHookOptions): { title: string; run: RunHook } {
  const isWindows = process.platform === 'win32'
  const args = isWindows
    ? (['cmd', '/d', '/s', '/c', command] as const)
    : (['/bin/sh', '-c', command] as const)
  return {
    title: command,
    run: (facts, context) => {
      const run = { facts, context, options }
      return facts.task.host === null ? runHere(args, run) : runThere(command, facts.task.host, run)
    },
  }
}

/**
 * A file whose default export is called with the facts, in a Node process of its own: what it prints is the output, and a
 * rejection is a failure. For a task on another machine it runs in its own folder.
 */
export function moduleHook(file: string, options: CommandHookOptions): { title: string; run: RunHook } {
  const args = [process.execPath, '--input-type=module', '--eval', CALL_MODULE, file] as const
  return {
    title: file,
    run: (facts, context) => {
      const cwd = facts.task.host === null ? context.cwd : path.dirname(file)
      return runHere(args, { facts, context: { ...context, cwd }, options })
    },
  }
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
  { facts, context, options }: Run,
): Promise<void> {
  const { cwd, marker, signal, write, started } = context
  const { env, passEnv = [] } = options
  await runCommand(args, {
    ...{ cwd, marker, signal, onOutput: write, onStarted: started },
    env: childEnvironment(env, { passEnv, extra: context.env }),
    input: inputOf(facts),
  })
}

/** What it leaves in the background would hold its output open. A shell that leads no group has nobody else in one. */
const THERE = `
exec 2>&1
/bin/sh -c "$1"
code=$?
if kill -0 "-$$" 2>/dev/null; then trap '' TERM; kill -TERM "-$$"; fi
exit $code
`

async function runThere(command: string, host: string, { facts, context, options }: Run): Promise<void> {
  const { cwd, signal, write } = context
  const { env, passEnv = [], machineOf } = options
  if (!machineOf) throw new CommandFailedError(`the task works on host ${host}, which commands cannot reach`)
  const passed = passEnv.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]))
  const machine = await machineOf(host)
  const running = await machine
    .open({
      ...{ program: 'sh', args: ['-c', THERE, 'sh', command], cwd, signal },
      env: { ...Object.fromEntries(passed), ...context.env },
    })
    .catch((error: unknown) => {
      throw isConnection(error) ? new HostUnreachableError(host, error) : error
    })
  running.stdin.on('error', () => {}).end(inputOf(facts))
  running.stdout.setEncoding('utf8').on('data', (text: string) => write(text))
  const { exitCode } = await running.ended.catch(async (error: unknown) => {
    // What is left of it is ended before the machine answers anything else.
    await machine.files.lstat(cwd).catch(() => {})
    throw isConnection(error) ? new CommandCutError(host, error) : error
  })
  if (exitCode !== 0) throw new CommandFailedError(`it ended with exit code ${exitCode}`, { exitCode })
}

/** The way to the machine was lost while it ran: nobody knows whether it finished. */
class CommandCutError extends DrawbridgeError {
  constructor(host: string, cause: unknown) {
    super(`the connection to ${host} was lost while it ran`, { code: 'command-cut', cause })
  }
}

function isConnection(error: unknown): boolean {
  return isDrawbridgeError(error) && !(error instanceof MachineError)
}

function inputOf(facts: Facts): string {
  return `${JSON.stringify(facts)}\n`
}
