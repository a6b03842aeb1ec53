// The command line: what there is.
import { Command } from 'commander'
import { VERSION } from '../codex/index.ts'
import { addAccountCommands } from './account/command.ts'
import { addCompletionCommand } from './completion/command.ts'
import { addDbCommand } from './db/command.ts'
import { addDemoCommand } from './demo/command.ts'
import { addDoctorCommand } from './doctor/command.ts'
import { addHelpCommand } from './help/command.ts'
import { addExamples } from './help/examples.ts'
import { OPTION_TEXT } from './help/option-text.ts'
import { addNotifyCommand } from './notify/command.ts'
import { addAnswerCommands } from './questions/answer.ts'
import { addApprovalsCommand } from './questions/approvals.ts'
import { addAuditCommand } from './questions/audit.ts'
import { addRulesCommand } from './rules/command.ts'
import { addRunCommand } from './run/command.ts'
import { addAccessCommands } from './service/access.ts'
import { addServeCommand } from './service/command.ts'
import { addOpenCommand } from './service/open.ts'
import { addStatusCommand } from './service/status.ts'
import { addStopCommand } from './service/stop.ts'
import type { Surroundings } from './surroundings.ts'
import { addTaskCommand } from './tasks/command.ts'
import { addTrustCommand } from './trust/command.ts'
import { addUsageCommand } from './usage/command.ts'

/** Throws a CommanderError where the process would exit: after help, and when it was used wrongly. */
export function makeProgram(surroundings: Surroundings): Command {
  const program = new Command('drawbridge')
    .description('Runs OpenAI Codex for you, headless, through `codex app-server`.')
    .version(VERSION)
    .configureHelp(OPTION_TEXT)
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'drawbridge: ')) })
    .showHelpAfterError('Try --help for what there is and examples.')
    // Options belong to the command they stand behind: `trust` and `trust list` both have --json.
    .enablePositionalOptions()
    .exitOverride()
  for (const add of [
    addRunCommand,
    addTaskCommand,
    addApprovalsCommand,
    addAnswerCommands,
    addAuditCommand,
    addRulesCommand,
    addTrustCommand,
    addAccountCommands,
    addServeCommand,
    addOpenCommand,
    addStatusCommand,
    addUsageCommand,
    addStopCommand,
    addAccessCommands,
    addNotifyCommand,
    addDbCommand,
    addDoctorCommand,
    addDemoCommand,
    addCompletionCommand,
    addHelpCommand,
  ])
    add(program, surroundings)
  return addExamples(program, [
    ['drawbridge doctor', 'can Codex run here?'],
    ['drawbridge run "explain what this folder does"', 'one turn, here and now'],
    ['drawbridge task start --wait "fix the failing test"', 'a task, kept by the service'],
    ['drawbridge help task start', 'what a command does, with examples'],
  ])
}
