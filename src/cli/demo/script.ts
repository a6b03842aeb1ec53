// What the user says in the demo and what the scripted model answers. Codex's own part is not scripted.
import {
  applyPatch,
  type InputItem,
  type ModelRequest,
  type ModelScript,
  message,
  type Reply,
  shell,
  slow,
} from '../../testing/index.ts'

export const FILES = {
  'todo.md':
    '- [x] lower the drawbridge\n- [ ] oil the chains\n- [ ] feed the guards\n- [ ] count the boats\n',
}

export const PROMPTS = {
  streaming: 'Who are you?',
  sandbox: 'How many todos are open? Save the number in a report.',
  approval: 'Save the report next to this folder then.',
  change: 'You may write in this folder now: put the report here.',
  resume: 'What have I asked you so far?',
} as const

type SceneName = keyof typeof PROMPTS
const SCENES = Object.keys(PROMPTS) as SceneName[]

const REPORT_PATCH = `*** Begin Patch
*** Add File: report.md
+# Report
+
+Three todos are open: the chains, the guards, the boats.
*** End Patch`

/** One list per prompt: a reply for each model call of that turn. */
const REPLIES: Record<SceneName, (request: ModelRequest) => readonly Say[]> = {
  streaming: () => [
    'I am a scripted model: my lines were written in advance. The Codex around\n' +
      'me is the real one. It streams my answers, runs my commands in its sandbox,\n' +
      'changes files, and asks before it does more than it may.',
  ],
  sandbox: () => [
    shell('cat todo.md'),
    shell('touch report.txt 2>&1 || echo "(there is no report)"'),
    'Three todos are open. I could read them, but not save a report: the\nsandbox is read-only.',
  ],
  approval: () => [
    shell('echo 3 > ../report.txt', { escalate: 'the report has to go next to the folder' }),
    'I was not allowed to, so I left it. The answer is still three.',
  ],
  change: () => [applyPatch(REPORT_PATCH), 'The report is in report.md.'],
  resume: (request) => [`You asked, in this order:\n${promptsIn(request).join('\n')}`],
}

type Say = string | ReturnType<typeof shell>

/** Answers by what was asked last and how many commands have run since. */
export function modelScript({ isPaced }: { isPaced: boolean }): ModelScript {
  return (request) => {
    const { input } = request.body
    const askedAt = input.findLastIndex((item) => sceneIn(item) !== undefined)
    const scene = askedAt === -1 ? undefined : sceneIn(input[askedAt]!)
    const ranSince = input.slice(askedAt).filter(({ type }) => type === 'function_call_output').length
    const say = scene && REPLIES[scene](request)[ranSince]
    if (say === undefined) throw new Error('the demo has no answer to this')
    return reply(say, isPaced)
  }
}

/** Not simply what the user said last: codex speaks in the user's name too, to complain of how a patch was made. */
function sceneIn(item: InputItem): SceneName | undefined {
  if (item.role !== 'user') return undefined
  const said = JSON.stringify(item.content)
  return SCENES.find((name) => said.includes(JSON.stringify(PROMPTS[name])))
}

function reply(say: Say, isPaced: boolean): Reply {
  if (typeof say !== 'string') return isPaced ? [slow(900), say] : say
  return isPaced ? [slow(600), message(say, { chunkSize: 3, delayMs: 45 })] : message(say, { chunkSize: 12 })
}

/** The user's earlier words, as codex has just sent them to the model: proof that the thread came back. */
function promptsIn({ body }: ModelRequest): string[] {
  return body.input.flatMap((item) => {
    const name = sceneIn(item)
    return name ? [`- ${PROMPTS[name]}`] : []
  })
}
