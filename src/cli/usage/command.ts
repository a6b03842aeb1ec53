import { type Command, InvalidArgumentError } from 'commander'
import { addExamples } from '../help/index.ts'
import { EXIT, type Surroundings } from '../process/index.ts'
import { printJson, printLines, printTable } from '../screen/index.ts'
import { acting, addServiceOptions, type ServiceFlags, serviceClient } from '../service/index.ts'
import { usageTable, usageText } from './usage-table.ts'

const HELP = `
Days are those of this terminal's time zone. Figures are exact, and kept when logs are pruned and tasks are deleted.
Tokens are those of turns that ended that day, their sub-agents with them. What they cost is not known here.`

interface UsageFlags extends ServiceFlags {
  readonly days: number
}

export function addUsageCommand(program: Command, surroundings: Surroundings): void {
  const usage = program
    .command('usage')
    .summary('turns, tokens and questions by day')
    .description(
      'Shows turns, tokens and questions of the last days, and how long questions waited for people.',
    )
    .option('--days <count>', 'how many, today included; at most 92', parseDays, 14)
  addExamples(
    usage,
    [
      'drawbridge usage',
      'drawbridge usage --days 30',
      `drawbridge usage --days 92 --json | jq '.total.tokens'`,
    ],
    HELP,
  )
  addServiceOptions(usage).action(acting(surroundings, (flags: UsageFlags) => show(flags, surroundings)))
}

async function show(flags: UsageFlags, surroundings: Surroundings): Promise<number> {
  const client = await serviceClient(flags, surroundings)
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  const usage = await client.usage({ days: flags.days, timeZone })
  if (flags.json) printJson(surroundings, usage)
  else {
    printTable(surroundings, usageTable(usage.days))
    printLines(surroundings, ['', ...usageText(usage)])
  }
  return EXIT.done
}

function parseDays(text: string): number {
  const days = Number(text)
  if (!Number.isInteger(days) || days < 1 || days > 92)
    throw new InvalidArgumentError('Give a number from 1 to 92.')
  return days
}
