import type { AccountPool } from '../../api/index.ts'
import { asTyped, EXIT, type Surroundings, UsageError } from '../process/index.ts'
import { type Cell, printJson, printTable, tell } from '../screen/index.ts'
import { type ServiceFlags, serviceClient } from '../service/index.ts'

export interface PoolFlags extends ServiceFlags {
  readonly add: readonly string[]
  readonly remove: readonly string[]
  readonly onLimit?: 'park' | 'switch'
  readonly billing?: 'same' | 'any'
}

/** Lists them, or changes one. */
export async function accountPools(
  name: string | undefined,
  flags: PoolFlags,
  surroundings: Surroundings,
): Promise<number> {
  const { add, remove, onLimit, billing } = flags
  const change = {
    ...(add.length > 0 && { add: [...add] }),
    ...(remove.length > 0 && { remove: [...remove] }),
    ...(onLimit && { onLimit }),
    ...(billing && { billing }),
  }
  const isChange = Object.keys(change).length > 0
  if (name === undefined && isChange) throw new UsageError('say which pool: drawbridge account pool <name> …')
  const { accounts } = await serviceClient(flags, surroundings)
  if (name !== undefined && isChange) {
    const pool = await accounts.changePool(name, change)
    if (flags.json) printJson(surroundings, pool)
    else for (const line of poolLines(pool)) tell(surroundings, line)
    return EXIT.done
  }
  const pools = (await accounts.pools()).filter((pool) => name === undefined || pool.name === name)
  if (name !== undefined && pools.length === 0)
    throw new UsageError(
      `there is no pool ${name}: make it with drawbridge account pool ${name} --add <account>`,
    )
  if (flags.json) printJson(surroundings, pools)
  else if (pools.length === 0)
    surroundings.stderr.write(
      asTyped('There are no pools. Make one: drawbridge account pool <name> --add <account>\n'),
    )
  else printTable(surroundings, poolTable(pools))
  return EXIT.done
}

function poolTable(pools: readonly AccountPool[]): Cell[][] {
  return [
    ['NAME', 'ACCOUNTS', 'AT A LIMIT', 'BILLING'].map((text): Cell => ({ text, colour: 'dim' })),
    ...pools.map((pool) => [
      { text: pool.name },
      { text: membersText(pool) },
      { text: pool.onLimit ?? 'as its account says' },
      { text: pool.billing === 'any' ? 'plans, then API keys' : 'same' },
    ]),
  ]
}

function membersText({ accounts, leftOut }: AccountPool): string {
  const names = accounts.map((name) => (leftOut.includes(name) ? `${name} (left out: API key)` : name))
  return names.join(', ') || '–'
}

function poolLines(pool: AccountPool): string[] {
  const { name, leftOut, onLimit, billing } = pool
  const atLimit = { park: 'waits', switch: 'goes on with another account of the pool' }
  const own = onLimit === null ? 'does what its account says' : atLimit[onLimit]
  return [
    `The pool ${name} has: ${membersText(pool)}.`,
    `At a usage limit a task ${own}, unless the task says otherwise.`,
    ...(billing === 'any' ? ['When no plan of it can be used, its tasks are billed by API key.'] : []),
    ...(leftOut.length > 0
      ? [`API keys are left out, since they are paid for otherwise: --billing any allows them.`]
      : []),
  ]
}
