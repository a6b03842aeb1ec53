// The command line: what there is, and how a mistake in using it ends.
import { Command, CommanderError } from 'commander'
import { VERSION } from '../codex/index.ts'
import { addCompletionCommand } from './completion/command.ts'
import { addDbCommand } from './db/command.ts'
import { addDemoCommand } from './demo/command.ts'
import { addDoctorCommand } from './doctor/command.ts'
import { EXIT } from './exit-code.ts'
import { addNotifyCommand } from './notify/command.ts'
import { addAnswerCommands } from './questions/answer.ts'
import { addApprovalsCommand } from './questions/approvals.ts'
import { addRulesCommand } from './rules/command.ts'
import { addRunCommand } from './run/command.ts'
import { addAccessCommands } from './service/access.ts'
import { addServeCommand } from './service/command.ts'
import { addStatusCommand } from './service/status.ts'
import { addStopCommand } from './service/stop.ts'
import { processSurroundings } from './surroundings.ts'
import { addTaskCommand } from './tasks/command.ts'
import { addUsageCommand } from './usage/command.ts'

const surroundings = processSurroundings()
const program = new Command('drawbridge')
  .description('Runs OpenAI Codex for you, headless, through `codex app-server`.')
  .version(VERSION)
  .showHelpAfterError('Try --help for what there is and examples.')
  .exitOverride()
for (const add of [
  addRunCommand,
  addTaskCommand,
  addApprovalsCommand,
  addAnswerCommands,
  addRulesCommand,
  addServeCommand,
  addStatusCommand,
  addUsageCommand,
  addStopCommand,
  addAccessCommands,
  addNotifyCommand,
  addDbCommand,
  addDoctorCommand,
  addDemoCommand,
  addCompletionCommand,
])
  add(program, surroundings)

try {
  await program.parseAsync()
} catch (error) {
  if (!(error instanceof CommanderError)) throw error
  // commander has printed what is wrong; help and --version arrive here too, with 0.
  surroundings.exit(error.exitCode === 0 ? EXIT.done : EXIT.usage)
}
