// `drawbridge workers drain` and `undrain`.
import type { Worker } from '../../api/index.ts'
import { EXIT, type Surroundings } from '../process/index.ts'
import { count, printJson, tell } from '../screen/index.ts'
import { type ServiceFlags, serviceClient } from '../service/index.ts'
import { findWorker } from './find-worker.ts'

interface DrainFlags extends ServiceFlags {
  readonly isDraining: boolean
}

export async function drainWorker(
  given: string,
  flags: DrainFlags,
  surroundings: Surroundings,
): Promise<number> {
  const client = await serviceClient(flags, surroundings)
  const { id } = findWorker(await client.workers(), given)
  const worker = flags.isDraining ? await client.drainWorker(id) : await client.undrainWorker(id)
  if (flags.json) printJson(surroundings, worker)
  else tell(surroundings, flags.isDraining ? drainedText(worker) : undrainedText(worker))
  return EXIT.done
}

export function drainedText({ name, tasks, working }: Worker): string {
  const kept =
    tasks === 0
      ? 'It has none.'
      : `It keeps ${count(tasks, 'task')}; ${working === 0 ? 'none' : working} working now.`
  return `${name} takes no new tasks. ${kept}`
}

export function undrainedText({ name, state }: Worker): string {
  if (state === 'up') return `${name} takes new tasks again.`
  return `${name} is ${state}: it takes new tasks when it is up again.`
}
