// What the demo model says and does, whatever it is asked: it fixes the failing test of the sample, step by step, and goes
// by what codex tells it of each step. What codex does is not scripted.
import { randomUUID } from 'node:crypto'
import {
  applyPatch,
  customToolCall,
  functionCall,
  type ModelScript,
  message,
  type ReplyPart,
  shell,
  slow,
} from '../../testing/index.ts'
import { allPass, answer } from './answer.ts'
import { FIX, TEST_COMMAND } from './sample.ts'
import { callIdOf, failingTest, outcomeOf, printed, type Seen, type Step, whatWasSeen } from './seen.ts'

const PLAN = [
  'Look at the project',
  'Run its tests',
  'Fix what fails',
  'Run the tests again',
  'Record the fix',
] as const

const THINKING_MS = 700
const PACE = { chunkSize: 4, delayMs: 22 }

/** Paced as a model is, for people who watch; or all at once. */
export function demoStory({ isPaced }: { isPaced: boolean }): ModelScript {
  return (request) => {
    const parts = next(whatWasSeen(request))
    if (!isPaced) return parts
    return [
      slow(THINKING_MS),
      ...parts.map((part) => (part.part === 'message' ? message(part.deltas.join(''), PACE) : part)),
    ]
  }
}

function next(seen: Seen): ReplyPart[] {
  const { said } = seen
  const last = [...said.keys()].at(-1)
  const went = last && outcomeOf(said.get(last)!)
  switch (last) {
    case undefined:
      return [say(INTENT), ...plan(seen, 0), run('look', 'ls -A && cat README.md toll.js')]
    case 'look':
      return [...plan(seen, 1), run('test', TEST_COMMAND)]
    case 'test':
      return failingTest(said.get('test')!) ? fix(seen) : [say(answer(seen))]
    case 'fix':
      return went === 'done' ? [...plan(seen, 3), run('retest', TEST_COMMAND)] : [say(answer(seen))]
    case 'retest':
      return went === 'done' ? keep(seen) : [say(answer(seen))]
    case 'keep':
      return went === 'done' && seen.hasTool('update_plan') ? plan(seen, PLAN.length) : [say(answer(seen))]
    case 'end':
      return [say(answer(seen))]
  }
}

const INTENT =
  'I look at this project, run its tests and fix what fails. What the sandbox does not allow I have to ask you for.'

function fix(seen: Seen): ReplyPart[] {
  const { name, wanted, got } = failingTest(seen.said.get('test')!)!
  const why = `“${name}” fails: it wanted ${wanted} and got ${got}. The discount is in percent, and \`toll.js\` takes it for a fraction. One line has to change:`
  const callId = callIdOf('fix', randomUUID())
  // Where a model has the tool codex wants it to be used, and says so in the user's name.
  const patch = seen.hasTool('apply_patch')
    ? customToolCall('apply_patch', FIX, { callId })
    : applyPatch(FIX, { callId })
  return [say(why), ...plan(seen, 2), patch]
}

function keep(seen: Seen): ReplyPart[] {
  const isRepository = printed(seen.said.get('look')!).includes('.git')
  const passed = say(`${allPass(seen.said.get('retest')!)} now.`)
  const command = isRepository
    ? run('keep', 'git commit --all --message "Take the discount in percent"', COMMIT)
    : run('keep', 'echo "Take the discount in percent" >> CHANGES.md', NOTE)
  return [passed, ...plan(seen, 4), command]
}

const COMMIT = 'Keep the fix? The history of a repository is outside the sandbox.'
const NOTE = 'Note the fix? The sandbox does not let me write CHANGES.md.'

/** A terminal shows what streams in as it comes, and does not keep words whole. */
function say(text: string): ReplyPart {
  return message(text.replaceAll(LONG_LINE, '$1\n'))
}

const LONG_LINE = /(?=.{80})(.{1,79}) /g

function run(step: Step, command: string, escalate?: string): ReplyPart {
  const callId = callIdOf(step, randomUUID())
  return shell(command, { callId, ...(escalate !== undefined && { escalate }) })
}

/** The plan while its step of this number is at work. */
function plan({ hasTool }: Seen, at: number): ReplyPart[] {
  if (!hasTool('update_plan')) return []
  const steps = PLAN.map((step, index) => ({
    step,
    status: index < at ? 'completed' : index === at ? 'in_progress' : 'pending',
  }))
  const callId = at === PLAN.length ? callIdOf('end', randomUUID()) : `plan.${randomUUID()}`
  return [functionCall('update_plan', { plan: steps }, { callId })]
}
