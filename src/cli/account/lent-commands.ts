// `drawbridge account add|list|check|…`: the accounts that tasks borrow, kept by the service.
import { type Command, Option } from 'commander'
import { addExamples } from '../help/index.ts'
import { collect } from '../options/index.ts'
import { type Surroundings, UsageError } from '../process/index.ts'
import { acting, addServiceOptions, type ServiceFlags } from '../service/index.ts'
import type { AddFlags } from './add-account.ts'
import { addSettingCommands } from './setting-commands.ts'

const HELP = `
The service keeps the login sealed and lends it to tasks: drawbridge task start --account <name>, or --account pool:<pool>.
Only one codex at a time uses it, and only codex renews it. A captured login is a copy: from then on use it through
Drawbridge alone, because its refresh token works once. For CI and servers OpenAI recommends API keys.`

const NOT_HERE =
  'account add takes one name; a key on a command line is seen by others and kept by the shell: type it at the prompt, or pipe it in'

const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  list: ['drawbridge account list', "drawbridge account list --json | jq -r '.[].name'"],
  check: ['drawbridge account check work', 'drawbridge account check work --json'],
  rename: ['drawbridge account rename work office', 'drawbridge account rename work office --json'],
  disable: ['drawbridge account disable work', 'drawbridge account disable work --json'],
  enable: ['drawbridge account enable work', 'drawbridge account enable work --json'],
  rm: ['drawbridge account rm work', 'drawbridge account rm work --json'],
  revoke: ['drawbridge account revoke work', 'drawbridge account revoke work --confirm work'],
}

export function addLentCommands(account: Command, surroundings: Surroundings): void {
  addAdd(account, surroundings)
  const simple = (name: string, about: readonly [summary: string, description: string]) => {
    const [summary, description] = about
    const command = account.command(name).summary(summary).description(description)
    addExamples(command, EXAMPLES[name]!)
    return command
  }
  const list = simple('list', [
    'accounts that tasks borrow',
    'Lists the accounts: state, limits, who uses them.',
  ])
  addServiceOptions(list).action(
    acting(surroundings, async (flags: ServiceFlags) =>
      (await import('./list-accounts.ts')).listAccounts(flags, surroundings),
    ),
  )
  const check = simple('check', [
    'ask Codex whether a login works',
    'Lets Codex renew the login and read its limits. Dead only when OpenAI refuses it for good; exit code 1 then.',
  ]).argument('<name>', 'the account')
  addServiceOptions(check).action(
    acting(surroundings, async (name: string, flags: ServiceFlags) =>
      (await import('./act-on-account.ts')).checkAccount(name, flags, surroundings),
    ),
  )
  const rename = simple('rename', ['give an account another name', 'Gives an account another name.'])
    .argument('<name>', 'the account')
    .argument('<new-name>', 'its new name')
  addServiceOptions(rename).action(
    acting(surroundings, async (name: string, to: string, flags: ServiceFlags) =>
      (await import('./act-on-account.ts')).changeAccount(name, { name: to }, flags, surroundings),
    ),
  )
  for (const [word, state] of [
    ['disable', 'disabled'],
    ['enable', 'active'],
  ] as const) {
    const text = word === 'disable' ? 'let no task begin on it' : 'let tasks use it again'
    const command = simple(word, [text, `${text[0]!.toUpperCase()}${text.slice(1)}.`]).argument(
      '<name>',
      'the account',
    )
    addServiceOptions(command).action(
      acting(surroundings, async (name: string, flags: ServiceFlags) =>
        (await import('./act-on-account.ts')).changeAccount(name, { state }, flags, surroundings),
      ),
    )
  }
  addSettingCommands(account, surroundings)
  const remove = simple('rm', [
    'delete the stored copy of a login',
    'Deletes the stored copy. The login stays valid wherever else it is; `account revoke` ends it everywhere.',
  ]).argument('<name>', 'the account')
  addServiceOptions(remove).action(
    acting(surroundings, async (name: string, flags: ServiceFlags) =>
      (await import('./act-on-account.ts')).removeAccount(name, flags, surroundings),
    ),
  )
  const revoke = simple('revoke', [
    'log an account out, everywhere',
    'Logs the account out: every copy of the login is worthless then. Asks for the name; --confirm gives it.',
  ])
    .argument('<name>', 'the account')
    .option('--confirm <name>', 'the name once more, instead of being asked')
  addServiceOptions(revoke).action(
    acting(surroundings, async (name: string, flags: ServiceFlags & { confirm?: string }) =>
      (await import('./act-on-account.ts')).revokeAccount(name, flags, surroundings),
    ),
  )
}

function addAdd(account: Command, surroundings: Surroundings): void {
  const add = account
    .command('add')
    .summary('keep a login for tasks')
    .description(
      'Keeps a login as an account that tasks borrow. Without an option a code is shown to log in with.',
    )
    .argument('<name>', 'what it is called: letters, digits, ".", "_", "-"')
    // commander's own refusal would repeat a key.
    .allowExcessArguments()
    .option('--capture [folder]', 'copy the login of a Codex home (default: $CODEX_HOME, ~/.codex)')
    .option('--key', 'an API key, from stdin or typed in without being shown')
    .option('--access-token', 'a Codex access token, from stdin or typed in without being shown')
    .option(
      '--with-config',
      'keep a copy of the config.toml of the Codex home too, for the Codex of this account',
    )
    .option('--pool <name>', 'a pool it belongs to; repeatable', collect, [])
    .option('--reserve <percent>', 'how much of each usage window tasks leave to people')
    .addOption(
      new Option('--on-limit <what>', 'at a usage limit: park, or switch to another account of the pool')
        .choices(['park', 'switch'])
        .default(undefined, 'park'),
    )
    .option('--replace', 'replace the login of an account that is there')
  addServiceOptions(add).action(
    acting(surroundings, async (name: string, flags: AddFlags, { args }: Command) => {
      if (args.length > 1) throw new UsageError(NOT_HERE)
      return (await import('./add-account.ts')).addAccount(name, flags, surroundings)
    }),
  )
  addExamples(
    add,
    [
      ['drawbridge account add work', 'shows a code to log in with'],
      ['drawbridge account add work --capture --pool team', 'a copy of the login in ~/.codex'],
      'printenv OPENAI_API_KEY | drawbridge account add ci --key',
    ],
    HELP,
  )
}
