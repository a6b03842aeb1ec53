// What the commands with `--demo` have in common, and a task of the service that is one.
import type { DrawbridgeClient, StartTask } from '../../api/index.ts'
import { DrawbridgeError } from '../../codex/index.ts'
import { asTyped, type Surroundings, UsageError } from '../process/index.ts'

/** What the demo has of its own. */
const OWN = { cwd: 'folder', codexHome: 'codex home', model: 'model', resume: 'thread' } as const

/** Throws a UsageError when something was asked for that the demo has of its own. */
export function refuseForDemo(flags: Readonly<Partial<Record<keyof typeof OWN, unknown>>>): void {
  const [name, what] = Object.entries(OWN).find(([key]) => flags[key as keyof typeof OWN] !== undefined) ?? []
  if (name === undefined) return
  const option = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  throw new UsageError(`--demo has a ${what} of its own: leave out --${option}`)
}

/** Where the service runs demo tasks. It makes a sample for each. */
export async function demoPlace(
  client: DrawbridgeClient,
  { labels = [] }: StartTask,
): Promise<Pick<StartTask, 'cwd' | 'codexHome' | 'labels'>> {
  const { demo } = await client.status()
  if (!demo) throw new DrawbridgeError('this service has no demo', { code: 'no-demo' })
  return { ...demo, labels: [...new Set([...labels, 'demo'])] }
}

/** From the demo to the real thing. */
export function tellNext({ stderr }: Pick<Surroundings, 'stderr'>): void {
  const lines = [
    'That is the demo. What next:',
    '  drawbridge open     the console: tasks and questions in the browser',
    '  drawbridge login    log Codex in, for a model that does what you ask',
  ]
  stderr.write(asTyped(`${lines.join('\n')}\n`))
}
