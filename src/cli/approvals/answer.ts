// approve, deny, answer: one question, one answer.
import { Argument, type Command, Option } from 'commander'
import type { Decide } from '../../api/index.ts'
import { addExamples } from '../help/index.ts'
import { collect } from '../options/index.ts'
import { type Surroundings, UsageError } from '../process/index.ts'
import { acting, addDataDirOption, addServiceOptions, type ServiceFlags } from '../service/index.ts'
import type { Make } from './decide-on.ts'

const IDS = 'ids as `drawbridge approvals` shows them'

interface DenyFlags extends ServiceFlags {
  readonly why?: string
  readonly cancel?: boolean
  readonly network?: boolean
  readonly retry?: boolean
}

export function addAnswerCommands(program: Command, surroundings: Surroundings): void {
  const approve = program
    .command('approve')
    .summary('allow what Codex asks')
    .description(
      'Allows what Codex asks. What each word means for a question, `drawbridge approvals --explain` tells.',
    )
    .argument('<approval>', 'its id, or enough of the beginning or end')
    .addArgument(new Argument('[how]', 'for how long').choices(['once', 'session', 'always']).default('once'))
    .option('--rule <rule>', 'with always: the standing rule to make (default: the one proposed)')
    .option('--why <text>', 'for the record')
  addExamples(approve, [
    ['drawbridge approve 3f9a2c11', IDS],
    'drawbridge approve 3f9a2c11 session',
    'drawbridge approve 3f9a2c11 always --rule "allow command npm test" --why "tests are fine"',
  ])
  addServiceOptions(approve).action(
    acting(
      surroundings,
      async (given: string, how: string, flags: ServiceFlags & { rule?: string; why?: string }) => {
        if (flags.rule !== undefined && how !== 'always') throw new UsageError('--rule goes with always')
        const { decideOn, requireNoValues } = await import('./decide-on.ts')
        const make: Make = (approval) => {
          requireNoValues(approval)
          return { answer: how as 'once', ...noted(flags) }
        }
        return decideOn(given, make, { flags, surroundings })
      },
    ),
  )
  const deny = program
    .command('deny')
    .summary('refuse what Codex asks')
    .description('Refuses what Codex asks; the turn goes on without it.')
    .argument('<approval>', 'its id, or enough of the beginning or end')
    .option('--why <text>', 'for the record')
    .option('--cancel', 'end the turn, too')
    .option('--network', 'end the turn, and try again in another where commands reach the network')
    .option('--retry', 'end the turn, and try again in another: for a folder that was trusted meanwhile')
  addExamples(deny, [
    ['drawbridge deny 3f9a2c11', IDS],
    'drawbridge deny 3f9a2c11 --cancel --why "not on a Friday"',
    [
      'drawbridge deny 3f9a2c11 --network',
      'for `npm install` in an untrusted folder: a yes gives no network',
    ],
  ])
  addServiceOptions(deny).action(
    acting(surroundings, async (given: string, flags: DenyFlags) => {
      const { decideOn } = await import('./decide-on.ts')
      const isRetried = flags.network === true || flags.retry === true
      const answer = flags.cancel || isRetried ? 'cancel' : 'deny'
      const retry = isRetried ? { retry: { network: flags.network === true } } : {}
      return decideOn(given, () => ({ answer, ...retry, ...noted(flags) }), { flags, surroundings })
    }),
  )
  addAnswer(program, surroundings)
}

const ANSWER_HELP = `
Every value that is asked for has to be given, since an answer cannot be taken back; --skip leaves one out on purpose.
A secret does not belong on a command line, which the shell keeps and others can see: --secret asks for it at the
terminal without showing it, or reads it from stdin; of several, each from a line of its own.
--json takes the whole answer as the API does (docs/user/api.md), and prints what became of it as JSON.`

function addAnswer(program: Command, surroundings: Surroundings): void {
  const answer = program
    .command('answer')
    .summary('give Codex the values it wants to know')
    .description('Gives Codex, or an MCP server, the values it wants to know.')
    .argument('<approval>', 'its id, or enough of the beginning or end')
    .option(
      '--value <name=value>',
      'one value; repeatable; where only one is asked for, the value is enough',
      collect,
      [],
    )
    .option(
      '--secret <name>',
      'a value that is typed without being shown, or read from stdin; repeatable',
      collect,
      [],
    )
    .option('--skip <name>', 'leave this one without a value; repeatable', collect, [])
    .addOption(new Option('--json [answer]', 'the answer as JSON; print JSON'))
    .option('--why <text>', 'for the record')
  addDataDirOption(answer).action(
    acting(surroundings, async (given: string, flags: AnswerFlags) => {
      const { dataDir, json, value, secret, skip } = flags
      const whole = typeof json === 'string' ? jsonOf(json) : null
      if ((whole === null) === (value.length + secret.length + skip.length === 0))
        throw new UsageError('give --value name=… for each value, or the whole answer with --json')
      const make: Make = async ({ question, status }) => {
        if (whole !== null) return { answer: whole, ...noted(flags) }
        const { answerWith } = await import('./answer-with.ts')
        const isOpen = status === 'pending'
        return { answer: await answerWith(question, flags, { isOpen, surroundings }), ...noted(flags) }
      }
      const { decideOn } = await import('./decide-on.ts')
      const options = { json: json !== undefined, ...(dataDir !== undefined && { dataDir }) }
      return decideOn(given, make, { flags: options, surroundings })
    }),
  )
  addExamples(
    answer,
    [
      ['drawbridge answer 3f9a2c11 --value colour=red --skip size', IDS],
      ['pass show deploy | drawbridge answer 3f9a2c11 --secret token', 'never on the command line'],
      `drawbridge answer 3f9a2c11 --json '{"answers":{"colour":["red"]}}'`,
      `drawbridge answer 3f9a2c11 --json '{"permissions":{"network":{"enabled":true}},"scope":"turn"}'`,
    ],
    ANSWER_HELP,
  )
}

interface AnswerFlags {
  readonly dataDir?: string
  readonly json?: string | true
  readonly value: readonly string[]
  readonly secret: readonly string[]
  readonly skip: readonly string[]
  readonly why?: string
}

function noted({ why, rule }: { why?: string; rule?: string }): { why?: string; rule?: string } {
  return { ...(why !== undefined && { why }), ...(rule !== undefined && { rule }) }
}

function jsonOf(text: string): Decide['answer'] {
  try {
    return JSON.parse(text) as Decide['answer']
  } catch (error) {
    throw new UsageError(`--json: not JSON: ${(error as Error).message}`)
  }
}
