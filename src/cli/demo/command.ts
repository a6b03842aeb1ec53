import type { Command } from 'commander'
import { addExamples } from '../help/examples.ts'
import type { Surroundings } from '../surroundings.ts'

const HELP = `
Plays the real Codex against a scripted model on this machine: no account, no network.
It works in a throw-away folder with a CODEX_HOME of its own, and deletes both, also on Ctrl-C.

Exit codes:
  0    done
  1    failed
  2    bad usage
  5    codex is missing or unsuitable
  130  interrupted`

export function addDemoCommand(program: Command, surroundings: Surroundings): void {
  const command = program
    .command('demo')
    .summary('a guided tour: the real Codex, a scripted model, no account')
    .description('Shows in about a minute what Drawbridge does, with the real Codex and a scripted model.')
    .option('--fast', 'no pauses for reading')
    .action(async ({ fast }: { fast?: boolean }) => {
      const isPaced = !fast && surroundings.stdout.isTTY === true
      const { demo } = await import('./demo.ts')
      surroundings.exit(await demo({ isPaced }, surroundings))
    })
  addExamples(command, ['drawbridge demo', 'drawbridge demo --fast'], HELP)
}
