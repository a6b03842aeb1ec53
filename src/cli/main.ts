// The command line: what there is, and how a mistake in using it ends.
import { Command, CommanderError } from 'commander'
import { VERSION } from '../codex/index.ts'
import { addDemoCommand } from './demo/command.ts'
import { addDoctorCommand } from './doctor/command.ts'
import { EXIT } from './exit-code.ts'
import { addRulesCommand } from './rules/command.ts'
import { addRunCommand } from './run/command.ts'
import { processSurroundings } from './surroundings.ts'

const surroundings = processSurroundings()
const program = new Command('drawbridge')
  .description('Runs OpenAI Codex for you, headless, through `codex app-server`.')
  .version(VERSION)
  .showHelpAfterError('Try --help for what there is and examples.')
  .exitOverride()
addRunCommand(program, surroundings)
addRulesCommand(program, surroundings)
addDoctorCommand(program, surroundings)
addDemoCommand(program, surroundings)

try {
  await program.parseAsync()
} catch (error) {
  if (!(error instanceof CommanderError)) throw error
  // commander has printed what is wrong; help and --version arrive here too, with 0.
  surroundings.exit(error.exitCode === 0 ? EXIT.done : EXIT.usage)
}
