// The login of codex from this command line, for those who have no `codex` of their own.
import type { Command } from 'commander'
import { type Adding, addExamples } from '../help/index.ts'
import { EXIT, type Surroundings, UsageError } from '../process/index.ts'
import { acting, addServiceOptions } from '../service/index.ts'
import type { AccountFlags } from './account-place.ts'
import { addLentCommands } from './lent-commands.ts'
import type { LoginFlags } from './login.ts'
import type { LogoutFlags } from './logout.ts'

const HELP = `
The login is codex's own, kept in its folder: every codex on this machine that uses the folder has it. A running service
that works with the folder knows of it at once; tasks need no restart.`

const LOGIN_HELP = `${HELP}
Without an option a code is shown, to be typed in on a page of OpenAI's, on any machine. --key reads an API key from stdin,
or asks for it without showing it; it never belongs on a command line.`

const NOT_HERE =
  'login takes no arguments; a key on a command line is seen by others and kept by the shell: type it at the prompt of `drawbridge login --key`, or pipe it in'

export function addAccountCommands(program: Command, surroundings: Surroundings, { isListed }: Adding): void {
  const login = program
    .command('login')
    .summary('log Codex in: with ChatGPT, or with an API key')
    .description('Logs Codex in: with ChatGPT by a code, or with an OpenAI API key.')
    // commander's own refusal would repeat a key.
    .allowExcessArguments()
    .option('--key', 'with an API key, from stdin or typed in without being shown')
  addAccountOptions(login).action(
    acting(surroundings, async (flags: LoginFlags, { args }: Command) => {
      if (args.length > 0) throw new UsageError(NOT_HERE)
      return (await import('./login.ts')).login(flags, surroundings)
    }),
  )
  addExamples(login, ['drawbridge login', 'printenv OPENAI_API_KEY | drawbridge login --key'], LOGIN_HELP)
  const logout = program
    .command('logout')
    .summary("delete Codex's login")
    .description(
      "Deletes Codex's login, after asking. A login with ChatGPT is revoked wherever it was copied to.",
    )
    .option('--yes', 'without asking')
  addAccountOptions(logout).action(
    acting(surroundings, async (flags: LogoutFlags) =>
      (await import('./logout.ts')).logout(flags, surroundings),
    ),
  )
  addExamples(logout, ['drawbridge logout', 'drawbridge logout --yes --codex-home ~/.codex-work'], HELP)
  const account = program
    .command('account')
    .summary('who is logged in, and the limits; accounts that tasks borrow')
    .description(
      `Says who is logged in, the plan and the limits. Exit code ${EXIT.unsuitable} when a login is needed and there is none. ` +
        'Its commands keep further logins, as accounts that tasks borrow.',
    )
  addAccountOptions(account).action(
    acting(surroundings, async (flags: AccountFlags) =>
      (await import('./show.ts')).showAccount(flags, surroundings),
    ),
  )
  if (!isListed) addLentCommands(account, surroundings)
  addExamples(
    account,
    [
      'drawbridge account',
      'drawbridge account --json | jq -r .account.email',
      ['drawbridge account add work --pool team', 'keeps a login for tasks: task start --account work'],
      ['drawbridge account list', 'those that are kept, with their limits'],
    ],
    HELP,
  )
}

function addAccountOptions(command: Command): Command {
  command
    .option('--codex <path>', 'the codex program to use (default: $DRAWBRIDGE_CODEX, PATH, the bundled one)')
    .option('--codex-home <folder>', "Codex's own folder (default: $CODEX_HOME, ~/.codex)")
  return addServiceOptions(command)
}
