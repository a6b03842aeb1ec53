import { type Command, Option } from 'commander'
import { PRESET_MEANINGS } from '../../codex/index.ts'
import type { Right, SANDBOXES } from '../../tasks/index.ts'
import { type Adding, addExamples } from '../help/index.ts'
import { collect, collectWords } from '../options/index.ts'
import type { Surroundings } from '../process/index.ts'
import { acting, addServiceOptions, type ServiceFlags } from '../service/index.ts'
import type { AddFlags } from './add.ts'

// Not from the tasks room: what describes a command loads nothing.
const RIGHTS: readonly Right[] = ['read', 'start', 'answer', 'answer-own']
const SANDBOX_NAMES = ['read-only', 'workspace-write', 'danger-full-access'] satisfies [...typeof SANDBOXES]

const HELP = `
The owner's token, the file \`token\` in the data folder, can do everything. Give programs and agents a named one: it sees
the tasks it started (--tasks own) and may do what --may says, up to a ceiling (--sandbox, --preset, --network, --folder,
--host, --account).
read: see tasks · start: start tasks and go on with those it sees · answer: answer questions of tasks that others started ·
answer-own: answer those of its own tasks too. Without answer-own an agent cannot approve what it asked for itself.
Rules, trust, accounts, workers and tokens stay with you. Everything it does is in the audit as token:<name>.`

export function addTokenCommand(program: Command, surroundings: Surroundings, { isListed }: Adding): void {
  const token = program
    .command('token')
    .summary('tokens: what programs and agents may do')
    .description('Named tokens with limits for programs and agents, and the token of the owner.')
  if (isListed) return
  addAdd(token, surroundings)
  addList(token, surroundings)
  addRevoke(token, surroundings)
  addRotate(token, surroundings)
  addExamples(
    token,
    [
      ['drawbridge token add ci-bot --folder . --sandbox workspace-write', 'prints its secret, once'],
      'drawbridge token list',
      ['drawbridge token revoke ci-bot', 'at once, on all machines'],
      ['drawbridge token rotate', "a new owner's token"],
    ],
    HELP,
  )
}

function addAdd(token: Command, surroundings: Surroundings): void {
  const add = token
    .command('add')
    .summary('make a named token')
    .description('Makes a named token and prints its secret. It is shown this once and is not kept.')
    .argument('<name>', 'what it is called in lists and the audit: a-z, 0-9, ".", "_", "-"')
    .addOption(new Option('--tasks <which>', 'which tasks it sees').choices(['own', 'all']).default('own'))
    .option('--may <rights>', `with commas: ${RIGHTS.join(', ')} (default: read,start)`, collectWords, [])
    .addOption(
      new Option('--sandbox <mode>', 'the widest sandbox of its tasks')
        .choices(SANDBOX_NAMES)
        .default('read-only'),
    )
    .addOption(
      new Option('--preset <preset>', 'the widest preset of its tasks')
        .choices(Object.keys(PRESET_MEANINGS))
        .default('ask-all'),
    )
    .option('--network', 'its tasks may reach the network from inside the sandbox')
    .option(
      '--folder <folder>',
      'its tasks work in this folder or below; repeatable (default: any)',
      collect,
      [],
    )
    .option(
      '--host <name>',
      'its tasks may run on this host, as <name>:<folder> only below a folder there; repeatable (default: none)',
      collect,
      [],
    )
    .option(
      '--account <name>',
      'its tasks may run on this account, or pool:<name>; repeatable (default: none)',
      collect,
      [],
    )
    .option('--expires <when>', 'after 12h, 30d or 8w, or at a time like 2027-01-31')
  addExamples(add, [
    ['drawbridge token add ci-bot --folder ~/src/app', 'reads, and asks for everything else'],
    'drawbridge token add builder --sandbox workspace-write --preset workspace --folder . --expires 30d',
    ['drawbridge token add reviewer --tasks all --may read,answer', 'answers for tasks of others'],
  ])
  addServiceOptions(add).action(
    acting(surroundings, async (name: string, flags: AddFlags) => {
      const { addToken } = await import('./add.ts')
      return addToken(name, flags, surroundings)
    }),
  )
}

function addList(token: Command, surroundings: Surroundings): void {
  const list = token
    .command('list')
    .summary('named tokens, and what each may do')
    .description('Lists the named tokens: what each may do, when it was last used, when it ends.')
    .option('--revoked', 'revoked and expired ones too')
  addExamples(list, ['drawbridge token list', `drawbridge token list --json | jq -r '.[].name'`])
  addServiceOptions(list).action(
    acting(surroundings, async (flags: ServiceFlags & { revoked?: boolean }) => {
      const { listTokens } = await import('./list.ts')
      return listTokens(flags, surroundings)
    }),
  )
}

function addRevoke(token: Command, surroundings: Surroundings): void {
  const revoke = token
    .command('revoke')
    .summary('let named tokens in no longer')
    .description('Lets named tokens in no longer. Their streams end; tasks they started go on.')
    .argument('<name...>', 'their names or ids')
  addExamples(revoke, ['drawbridge token revoke ci-bot', 'drawbridge token revoke ci-bot builder --json'])
  addServiceOptions(revoke).action(
    acting(surroundings, async (names: string[], flags: ServiceFlags) => {
      const { revokeTokens } = await import('./revoke.ts')
      return revokeTokens(names, flags, surroundings)
    }),
  )
}

function addRotate(token: Command, surroundings: Surroundings): void {
  const rotate = token
    .command('rotate')
    .summary("make a new owner's token")
    .description(
      "Makes a new owner's token. The old one, and every browser that was let in, is refused from now on; named " +
        'tokens stay as they are.',
    )
  addServiceOptions(rotate).action(
    acting(surroundings, async (flags: ServiceFlags) => {
      const { rotate } = await import('./rotate.ts')
      return rotate(flags, surroundings)
    }),
  )
  addExamples(rotate, ['drawbridge token rotate', 'drawbridge token rotate --data-dir /srv/drawbridge'])
}
