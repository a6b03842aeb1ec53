import type { Command } from 'commander'
import { EXIT } from '../exit-code.ts'
import { addExamples, type Example } from '../help/examples.ts'
import type { RunFlags } from '../run/turn-request.ts'
import type { Surroundings } from '../surroundings.ts'

/** What is asked when nothing else is. */
const PROMPT = 'Run the tests, fix what fails, and commit the fix.'

const EXAMPLES: readonly Example[] = [
  'drawbridge demo',
  'drawbridge demo "what does this folder do?"',
  ['drawbridge demo --yes', 'with nobody there to answer'],
]

const HELP = `
The real Codex works on a scripted model on this machine: no account, no network. In a small repository, made for it, it
runs a test that fails, shows a fix, and asks: before it changes the file, and before it commits. You answer, as in
\`drawbridge run\`; where nobody can, the answer is no. Folder and settings are deleted afterwards, also on Ctrl-C.

Exit codes:
  0    done, whatever you answered
  1    failed
  2    bad usage
  5    codex is missing or unsuitable
  130  interrupted`

interface DemoFlags {
  readonly yes?: boolean
}

export function addDemoCommand(program: Command, surroundings: Surroundings): void {
  const command = program
    .command('demo')
    .summary('see it work: the real Codex, a scripted model, no account')
    .description('Shows in a minute what Drawbridge does, with the real Codex and a scripted model.')
    .argument('[prompt]', 'what to ask for', PROMPT)
    .option('--yes', 'allow what it asks for')
    .action(async (prompt: string, flags: DemoFlags) => {
      surroundings.exit(await demo(prompt, flags, surroundings))
    })
  addExamples(command, EXAMPLES, HELP)
}

async function demo(prompt: string, { yes }: DemoFlags, surroundings: Surroundings): Promise<number> {
  const { stdout } = surroundings
  const { run } = await import('../run/command.ts')
  stdout.write(`${WELCOME}\n\n› ${prompt}\n`)
  const flags: RunFlags = {
    demo: true,
    yes,
    sandbox: 'read-only',
    timeout: '3600',
    rule: [],
    image: [],
    passEnv: [],
  }
  // All of it is for people, so all of it goes to one place, in one order.
  const code = await run(prompt, flags, { ...surroundings, stderr: stdout })
  return code === EXIT.declined ? EXIT.done : code
}

const WELCOME = `Drawbridge runs Codex for you. This is the real Codex, in a small repository made for this demo.
Only the model behind it is scripted: no account, no network, no cost.`
