// The command line: what there is.
import { Command } from 'commander'
import { VERSION } from '../codex/index.ts'
import { addAccountCommands } from './account/index.ts'
import { addAnswerCommands, addApprovalsCommand, addAuditCommand } from './approvals/index.ts'
import { addCompletionCommand } from './completion/index.ts'
import { addConfigCommand } from './config/index.ts'
import { addDbCommand } from './db/index.ts'
import { addDoctorCommand } from './doctor/index.ts'
import { type Adding, addExamples, addHelpCommand, OPTION_TEXT } from './help/index.ts'
import { addHostCommand } from './hosts/index.ts'
import { addMcpCommand } from './mcp/index.ts'
import { addNotifyCommand } from './notify/index.ts'
import type { Surroundings } from './process/index.ts'
import { addRulesCommand } from './rules/index.ts'
import { addDemoCommand, addRunCommand } from './run/index.ts'
import { addServeCommand } from './serve/index.ts'
import { addLoginLinkCommand, addOpenCommand, addStatusCommand, addStopCommand } from './service/index.ts'
import { addTaskCommand } from './tasks/index.ts'
import { addTokenCommand } from './tokens/index.ts'
import { addToolsCommand } from './tools/index.ts'
import { addTrustCommand } from './trust/index.ts'
import { addUsageCommand } from './usage/index.ts'
import { addWorkersCommand } from './workers/index.ts'
import { addWorkspaceCommand } from './workspaces/index.ts'

type Add = (program: Command, surroundings: Surroundings, adding: Adding) => void

/** In the order of `--help`, each with the names it adds. */
const COMMANDS: readonly (readonly [names: string, add: Add])[] = [
  ['run', addRunCommand],
  ['task', addTaskCommand],
  ['approvals', addApprovalsCommand],
  ['approve deny answer', addAnswerCommands],
  ['audit', addAuditCommand],
  ['rules', addRulesCommand],
  ['trust', addTrustCommand],
  ['tools', addToolsCommand],
  ['login logout account', addAccountCommands],
  ['serve', addServeCommand],
  ['open', addOpenCommand],
  ['status', addStatusCommand],
  ['usage', addUsageCommand],
  ['workers', addWorkersCommand],
  ['host', addHostCommand],
  ['workspace', addWorkspaceCommand],
  ['stop', addStopCommand],
  ['login-link', addLoginLinkCommand],
  ['token', addTokenCommand],
  ['mcp', addMcpCommand],
  ['notify', addNotifyCommand],
  ['config', addConfigCommand],
  ['db', addDbCommand],
  ['doctor', addDoctorCommand],
  ['demo', addDemoCommand],
  ['completion __complete', addCompletionCommand],
  ['help', addHelpCommand],
]

/**
 * Throws a CommanderError where the process would exit: after help, and when it was used wrongly. With the words of a
 * command line it has only the commands that those words can be about.
 */
export function makeProgram(surroundings: Surroundings, words: readonly string[] = []): Command {
  const program = new Command('drawbridge')
    .description('Runs OpenAI Codex for you, headless, through `codex app-server`.')
    .version(VERSION)
    .configureHelp(OPTION_TEXT)
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'drawbridge: ')) })
    .showHelpAfterError('Try --help for what there is and examples.')
    // Options belong to the command they stand behind: `trust` and `trust list` both have --json.
    .enablePositionalOptions()
    .exitOverride()
  const isListed = words.length === 1 && ['--help', '-h'].includes(words[0]!)
  for (const add of commandsFor(words)) add(program, surroundings, { isListed })
  return addExamples(program, [
    ['drawbridge doctor', 'can Codex run here?'],
    ['drawbridge run "explain what this folder does"', 'one turn, here and now'],
    ['drawbridge task start --wait "fix the failing test"', 'a task, kept by the service'],
    ['drawbridge help task start', 'what a command does, with examples'],
  ])
}

function commandsFor(words: readonly string[]): readonly Add[] {
  if (words[0] === '--version') return []
  // `__complete -- task show 5f`: about what it completes, and itself.
  const named = words[0] === '__complete' ? [words[0], words[2]] : [words[0]]
  const found = COMMANDS.filter(([names]) => names.split(' ').some((name) => named.includes(name)))
  const isAboutAll = found.length < named.length || named.includes('help')
  return (isAboutAll ? COMMANDS : found).map(([, add]) => add)
}
