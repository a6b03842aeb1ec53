// Rules that stand for all tasks, kept by the service.
import type { Command } from 'commander'
import type { StandingRule } from '../../api/index.ts'
import { addExamples } from '../help/index.ts'
import { EXIT, type Surroundings, UsageError } from '../process/index.ts'
import { ago, type Cell, printJson, printTable, tell } from '../screen/index.ts'
import { acting, addServiceOptions, type ServiceFlags, serviceClient } from '../service/index.ts'
import { findRuleId, shortId } from '../tasks/index.ts'

export function addStandingRules(rules: Command, surroundings: Surroundings): void {
  const list = rules
    .command('list')
    .summary('rules that stand for all tasks')
    .description('Lists the rules that stand for all tasks until they are revoked.')
    .option('--revoked', 'revoked ones too')
  addExamples(list, ['drawbridge rules list', `drawbridge rules list --revoked --json | jq -r '.[].text'`])
  addServiceOptions(list).action(
    acting(surroundings, async (flags: ServiceFlags & { revoked?: boolean }) => {
      const found = await (await serviceClient(flags, surroundings)).rules({
        revoked: flags.revoked === true,
      })
      if (flags.json) printJson(surroundings, found)
      else if (found.length === 0) surroundings.stderr.write('No standing rules.\n')
      else printTable(surroundings, ruleTable(found, Date.now()))
      return EXIT.done
    }),
  )
  const add = rules
    .command('add')
    .summary('make a rule stand for all tasks')
    .description('Makes a rule stand for all tasks, from now on.')
    .argument(
      '<rule>',
      'one line, like "allow command git status"; `drawbridge rules check --help` teaches it',
    )
    .option('--note <text>', 'why it is there')
  addExamples(add, [
    'drawbridge rules add "allow command git status"',
    'drawbridge rules add "deny path **/.env" --note "secrets stay here"',
  ])
  addServiceOptions(add).action(
    acting(surroundings, async (text: string, flags: ServiceFlags & { note?: string }) => {
      await refuseUnreadable(text)
      const client = await serviceClient(flags, surroundings)
      const rule = await client.addRule({ text, ...(flags.note !== undefined && { note: flags.note }) })
      if (flags.json) printJson(surroundings, rule)
      else surroundings.stdout.write(`${rule.id}\n`)
      return EXIT.done
    }),
  )
  const revoke = rules
    .command('revoke')
    .summary('end a standing rule')
    .description('Ends a standing rule. What it has answered stays answered.')
    .argument('<rule>', 'its id, or enough of the beginning or end')
  addExamples(revoke, [
    ['drawbridge rules revoke 3f9a2c11', 'ids as `drawbridge rules list` shows them'],
    'drawbridge rules revoke 3f9a2c11 --json',
  ])
  addServiceOptions(revoke).action(
    acting(surroundings, async (given: string, flags: ServiceFlags) => {
      const client = await serviceClient(flags, surroundings)
      const rule = await client.revokeRule(await findRuleId(client, given))
      if (flags.json) printJson(surroundings, rule)
      else tell(surroundings, `Revoked: ${rule.text}`)
      return EXIT.done
    }),
  )
}

function ruleTable(rules: readonly StandingRule[], now: number): Cell[][] {
  return [
    ['ID', 'SINCE', 'BY', 'STATE', 'SANDBOX', 'RULE'].map((text): Cell => ({ text, colour: 'dim' })),
    ...rules.map(({ id, createdAt, createdBy, revokedAt, expiresAt, reach, text, note }) => [
      { text: shortId(id) },
      { text: ago(createdAt, now) },
      { text: createdBy },
      stateCell({ revokedAt, expiresAt }, now),
      reachCell(reach),
      { text: note ? `${text}  (${note})` : text },
    ]),
  ]
}

function stateCell(
  { revokedAt, expiresAt }: Pick<StandingRule, 'revokedAt' | 'expiresAt'>,
  now: number,
): Cell {
  if (revokedAt !== null) return { text: 'revoked', colour: 'dim' }
  if (expiresAt === null) return { text: 'stands', colour: 'green' }
  return expiresAt <= now
    ? { text: 'expired', colour: 'dim' }
    : { text: `ends ${ago(expiresAt, now)}`, colour: 'green' }
}

/** Where it lets commands run; nothing for a rule that allows none. */
function reachCell(reach: StandingRule['reach']): Cell {
  if (reach === null) return { text: '–', colour: 'dim' }
  return reach === 'outside' ? { text: 'outside', colour: 'yellow' } : { text: 'inside' }
}

async function refuseUnreadable(text: string): Promise<void> {
  if (text.trim() === '') throw new UsageError('the rule is empty: write one like "allow command git status"')
  const { parseRuleText } = await import('../../codex/index.ts')
  const { problem } = parseRuleText(text)
  if (problem !== null) throw new UsageError(`the rule '${text}' cannot be read: ${problem}`)
}
