// `drawbridge task start`, from its flags to its exit code.
import type { DrawbridgeClient, Task } from '../../api/index.ts'
import { type PresetName, presetNotes } from '../../codex/index.ts'
import { realPath } from '../../hosts/index.ts'
import { namedCodexHome, promptText } from '../options/index.ts'
import { EXIT, hostModeText, type Surroundings } from '../process/index.ts'
import { printJson, tell } from '../screen/index.ts'
import { type ServiceFlags, serviceClient } from '../service/index.ts'
import { findTaskId } from './find-id.ts'
import { followHint } from './follow-hint.ts'
import { type StartFlags, startRequest } from './start-request.ts'
import { watchTask } from './watch-task.ts'

export interface Flags extends StartFlags, ServiceFlags {
  readonly key?: string
  readonly wait?: boolean
  readonly demo?: boolean
  readonly parent?: string
}

/** As for `run`: the service's own would be somebody else's account. */
function ownHome({ codexHome, account }: Flags, { env }: Surroundings): { codexHome?: string } {
  return codexHome === undefined && account === undefined && env.CODEX_HOME
    ? { codexHome: namedCodexHome(env.CODEX_HOME, 'CODEX_HOME') }
    : {}
}

/** What a preset gives away there. */
function tellNotes(preset: PresetName, cwd: string, { stderr }: Surroundings): void {
  for (const note of presetNotes(preset, { workspaceRoots: [cwd], resolve: realPath }))
    stderr.write(`${note}\n`)
}

export async function startTask(
  prompt: string | undefined,
  flags: Flags,
  surroundings: Surroundings,
): Promise<number> {
  const text = await promptText(prompt, surroundings, 'drawbridge task start "<what Codex should do>"')
  const demo = flags.demo ? await import('../demo/index.ts') : null
  demo?.refuseForDemo(flags)
  const request = startRequest(text, flags)
  if (flags.approve !== undefined && !flags.json) tellNotes(flags.approve, request.cwd, surroundings)
  const client = await serviceClient(flags, surroundings)
  const mode = flags.host === undefined ? null : await modeOf(client, flags.host)
  const home = demo
    ? await demo.demoPlace(client, request)
    : mode === 'remote'
      ? {}
      : ownHome(flags, surroundings)
  const below = flags.parent && { parent: { taskId: await findTaskId(client, flags.parent) } }
  const askedAt = Date.now()
  const task = await client.tasks.start(
    { ...request, ...home, ...below },
    { key: flags.key, signal: surroundings.interrupted },
  )
  if (flags.on !== undefined && !flags.json) await tellUnplaced(client, flags.on, surroundings)
  if (mode && !flags.json) tell(surroundings, `Runs on ${flags.host} (${hostModeText(mode, flags.host!)}).`)
  const code = flags.wait
    ? await watchTask({ client, task, after: 0, json: flags.json === true, surroundings })
    : tellStarted(task, { askedAt, json: flags.json === true, surroundings })
  if (demo && !flags.json) demo.tellNext(surroundings)
  return code
}

/** null: there is no such host, which the service says with what to do about it. */
async function modeOf(client: DrawbridgeClient, host: string): Promise<'exec' | 'remote' | null> {
  const known = (await client.hosts()).find(({ id, ssh }) => id === host && ssh !== null)
  return known?.ssh?.mode ?? null
}

/** A typing error would wait for ever; a worker that comes later would not. */
async function tellUnplaced(client: DrawbridgeClient, on: string, surroundings: Surroundings): Promise<void> {
  const workers = await client.workers()
  if (workers.some(({ id, name, labels }) => [id, name, ...labels].includes(on))) return
  const known = [...new Set(workers.flatMap(({ name, labels }) => [name, ...labels]))].join(', ')
  tell(
    surroundings,
    `No worker has the name or label ${on}: the task waits until one does. There are: ${known}`,
  )
}

function tellStarted(
  task: Task,
  { askedAt, json, surroundings }: { askedAt: number; json: boolean; surroundings: Surroundings },
): number {
  if (json) printJson(surroundings, task)
  else {
    surroundings.stdout.write(`${task.id}\n`)
    // The service runs on this machine, by the same clock.
    const told = task.createdAt < askedAt ? 'Started before, with this key: not once more.' : 'Started.'
    surroundings.stderr.write(`${told} ${followHint(task.id)}\n`)
  }
  return EXIT.done
}
