// `drawbridge task attach`: codex's own terminal in the foreground, on the socket of the app-server that runs the task.
import { existsSync } from 'node:fs'
import { hostname } from 'node:os'
import path from 'node:path'
import type { DrawbridgeClient, OpenTask, Terminal } from '../../api/index.ts'
import { DrawbridgeError } from '../../codex/index.ts'
import { namedCodex, namedCodexHome } from '../options/index.ts'
import { EXIT, type Surroundings, UsageError } from '../process/index.ts'
import type { RunFlags } from '../run/index.ts'
import { printJson } from '../screen/index.ts'
import { type ServiceFlags, serviceClient } from '../service/index.ts'
import { findTaskId } from './find-id.ts'
import { runForeground } from './run-foreground.ts'
import { stateLine } from './state-line.ts'

export interface AttachFlags extends ServiceFlags {
  readonly new?: string | true
  readonly title?: string
  readonly sandbox?: RunFlags['sandbox']
  readonly codex?: string
  readonly codexHome?: string
}

/** Well below the minute for which the service keeps an app-server. */
const KEEP_EVERY_MS = 5_000

export async function attachTerminal(
  given: string | undefined,
  flags: AttachFlags,
  surroundings: Surroundings,
): Promise<number> {
  refuseBadUsage(given, flags, surroundings)
  const client = await serviceClient(flags, surroundings)
  const taskId =
    flags.new === undefined ? await findTaskId(client, given!) : await openTask(client, flags, surroundings)
  const terminal = await client.tasks.attach(taskId, { signal: surroundings.interrupted })
  if (flags.json) {
    printJson(surroundings, terminal)
    return EXIT.done
  }
  refuseElsewhere(terminal)
  return show(terminal, client, surroundings)
}

async function show(
  { taskId, threadId, socketPath, codexPath, codexHome, cwd }: Terminal,
  client: DrawbridgeClient,
  surroundings: Surroundings,
): Promise<number> {
  // A service that is restarted meanwhile is found again at the next one.
  const keeping = setInterval(() => void client.tasks.keepTerminal(taskId).catch(() => {}), KEEP_EVERY_MS)
  try {
    const code = await runForeground(
      [codexPath, 'resume', threadId, '--remote', `unix://${socketPath}`],
      { env: { ...surroundings.env, CODEX_HOME: codexHome }, cwd: existsSync(cwd) ? cwd : undefined },
      surroundings,
    )
    const task = await client.tasks.get(taskId).catch(() => null)
    if (task) surroundings.stderr.write(`${stateLine(task, Date.now())}\n`)
    return code === 0 ? EXIT.done : EXIT.failed
  } finally {
    clearInterval(keeping)
  }
}

async function openTask(
  client: DrawbridgeClient,
  { new: folder, title, sandbox, codex, codexHome }: AttachFlags,
  { env }: Surroundings,
): Promise<string> {
  const home = codexHome ?? env.CODEX_HOME
  const request: OpenTask = {
    cwd: path.resolve(typeof folder === 'string' ? folder : '.'),
    ...(sandbox !== undefined && { policy: { sandbox } }),
    ...(title !== undefined && { title }),
    ...(codex !== undefined && { codexPath: namedCodex(codex) }),
    ...(home && { codexHome: namedCodexHome(home, codexHome === undefined ? 'CODEX_HOME' : undefined) }),
  }
  return (await client.tasks.open(request)).id
}

function refuseBadUsage(
  given: string | undefined,
  flags: AttachFlags,
  { stdin, stdout }: Surroundings,
): void {
  if ((given === undefined) === (flags.new === undefined))
    throw new UsageError('name a task, or open a new one: drawbridge task attach <task> | --new [folder]')
  const forNew = (['title', 'sandbox', 'codex', 'codexHome'] as const).find(
    (name) => flags[name] !== undefined,
  )
  if (flags.new === undefined && forNew !== undefined)
    throw new UsageError(
      `--${forNew === 'codexHome' ? 'codex-home' : forNew} is for --new: a task keeps what it was started with`,
    )
  if (flags.json) return
  if (process.platform === 'win32')
    throw new DrawbridgeError(
      "Codex's own terminal cannot attach on Windows: Drawbridge reaches Codex over pipes there. Use the console, or drawbridge task logs -f",
      { code: 'not-supported' },
    )
  if (!stdin.isTTY || !stdout.isTTY)
    throw new UsageError(
      'task attach needs a terminal: use drawbridge task logs -f and task send where there is none, or --json',
    )
}

function refuseElsewhere({ machine, socketPath }: Terminal): void {
  if (machine !== hostname())
    throw new DrawbridgeError(`the task runs on the machine ${machine}: run drawbridge task attach there`, {
      code: 'not-supported',
    })
  if (!existsSync(socketPath))
    throw new DrawbridgeError(
      `its app-server listens on ${socketPath}, which is not there: run drawbridge task attach where the service runs`,
      { code: 'not-supported' },
    )
}
