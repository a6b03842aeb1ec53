// `drawbridge task start`, from its flags to its exit code.
import { type PresetName, presetNotes } from '../../codex/index.ts'
import { localHost } from '../../hosts/index.ts'
import { namedCodexHome } from '../codex-flags.ts'
import { EXIT } from '../exit-code.ts'
import { printJson } from '../output.ts'
import { promptText } from '../prompt-text.ts'
import { dataDirOf, type ServiceFlags, serviceClient } from '../service/acting.ts'
import { demoHome } from '../service/demo-home.ts'
import type { Surroundings } from '../surroundings.ts'
import { UsageError } from '../usage-error.ts'
import { followHint } from './follow-hint.ts'
import { type StartFlags, startRequest } from './start-request.ts'
import { watchTask } from './watch-task.ts'

export interface Flags extends StartFlags, ServiceFlags {
  readonly key?: string
  readonly wait?: boolean
  readonly demo?: boolean
}

/** As for `run`: the service's own would be somebody else's account. */
function ownHome({ codexHome }: Flags, { env }: Surroundings): { codexHome?: string } {
  return codexHome === undefined && env.CODEX_HOME
    ? { codexHome: namedCodexHome(env.CODEX_HOME, 'CODEX_HOME') }
    : {}
}

/** What a preset gives away there. */
function tellNotes(preset: PresetName, cwd: string, { env, stderr }: Surroundings): void {
  const resolve = localHost({ env }).realPath
  for (const note of presetNotes(preset, { workspaceRoots: [cwd], resolve })) stderr.write(`${note}\n`)
}

export async function startTask(
  prompt: string | undefined,
  flags: Flags,
  surroundings: Surroundings,
): Promise<number> {
  const text = await promptText(prompt, surroundings, 'drawbridge task start "<what Codex should do>"')
  const request = startRequest(text, flags)
  if (flags.demo && flags.codexHome !== undefined) throw new UsageError('--demo has a codex home of its own')
  const home = flags.demo
    ? { codexHome: demoHome(dataDirOf(flags, surroundings)) }
    : ownHome(flags, surroundings)
  if (flags.approve !== undefined && !flags.json) tellNotes(flags.approve, request.cwd, surroundings)
  const client = await serviceClient(flags, surroundings)
  const askedAt = Date.now()
  const task = await client.tasks.start(
    { ...request, ...home },
    { key: flags.key, signal: surroundings.interrupted },
  )
  if (flags.wait) return watchTask({ client, task, after: 0, json: flags.json === true, surroundings })
  if (flags.json) printJson(surroundings, task)
  else {
    surroundings.stdout.write(`${task.id}\n`)
    // The service runs on this machine, by the same clock.
    const told = task.createdAt < askedAt ? 'Started before, with this key: not once more.' : 'Started.'
    surroundings.stderr.write(`${told} ${followHint(task.id)}\n`)
  }
  return EXIT.done
}
