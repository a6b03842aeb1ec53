import type { Command } from 'commander'
import { addExamples, type Example } from '../help/index.ts'
import type { Surroundings } from '../process/index.ts'
import type { DemoFlags } from './demo.ts'

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

export function addDemoCommand(program: Command, surroundings: Surroundings): void {
  const command = program
    .command('demo')
    .summary('see it work: the real Codex, a scripted model, no account')
    .description('Shows in a minute what Drawbridge does, with the real Codex and a scripted model.')
    .argument('[prompt]', 'what to ask for', PROMPT)
    .option('--yes', 'allow what it asks for')
    .action(async (prompt: string, flags: DemoFlags) => {
      const { demo } = await import('./demo.ts')
      surroundings.exit(await demo(prompt, flags, surroundings))
    })
  addExamples(command, EXAMPLES, HELP)
}
