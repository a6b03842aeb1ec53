// What the demo model knows: what codex told it of the steps it has taken since it was last asked.
import { lastUserText, type ModelRequest, toolOutputs } from '../../testing/index.ts'

const STEPS = ['look', 'test', 'fix', 'retest', 'keep', 'end'] as const
export type Step = (typeof STEPS)[number]

export interface Seen {
  readonly asked: string
  /** What codex said to each step that was taken. */
  readonly said: ReadonlyMap<Step, string>
  readonly hasTool: (name: string) => boolean
}

/** A step is known by the id of its call. */
export function callIdOf(step: Step, unique: string): string {
  return `${step}.${unique}`
}

export function whatWasSeen(request: ModelRequest): Seen {
  const said = toolOutputs(request).flatMap(({ callId, text }) => {
    const step = STEPS.find((name) => callId.startsWith(`${name}.`))
    return step ? [[step, text] as const] : []
  })
  const tools = new Set(request.body.tools?.map(({ name }) => name))
  return { asked: lastUserText(request).trim(), said: new Map(said), hasTool: (name) => tools.has(name) }
}

export type Outcome = 'done' | 'refused' | 'failed'

/** How a command or a patch went. */
export function outcomeOf(said: string): Outcome {
  if (/exited with code 0\b|Exit code: 0\b|Success\. Updated/.test(said)) return 'done'
  return /rejected|denied|declined/i.test(said) && !/exited with code/.test(said) ? 'refused' : 'failed'
}

/** What a command printed, without what codex says around it. */
export function printed(said: string): string[] {
  const output = said.split(/^Output:\n/m).at(-1)!
  return output.split('\n').filter((line) => line.trim() !== '')
}

/** The test that failed, as its line says it. */
export function failingTest(said: string): { name: string; wanted: string; got: string } | null {
  const [, name, wanted, got] = /^✖ (.+): wanted (.+), got (.+)$/m.exec(said) ?? []
  return name === undefined ? null : { name, wanted: wanted!, got: got! }
}
