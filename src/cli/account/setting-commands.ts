// `drawbridge account set|pool`: what tasks may do with an account, and with a pool of them.
import { type Command, Option } from 'commander'
import { addExamples } from '../help/index.ts'
import { collect } from '../options/index.ts'
import type { Surroundings } from '../process/index.ts'
import { acting, addServiceOptions } from '../service/index.ts'
import type { SetFlags } from './act-on-account.ts'
import type { PoolFlags } from './pools.ts'

const POOL_HELP = `
Without a name the pools are listed. A task asks for one with --account pool:<name> and gets the account that was used
longest ago. An API key is paid for otherwise than a plan: in a pool that has both, tasks use the plans alone, and no thread
goes from one to the other, unless --billing any says so. Then keys are used when no plan of the pool can be.`

export function addSettingCommands(account: Command, surroundings: Surroundings): void {
  const set = account
    .command('set')
    .summary('set the reserve of an account, or what it does at a limit')
    .description('Sets what tasks may do with an account.')
    .argument('<name>', 'the account')
    .option('--reserve <percent>', 'how much of each usage window tasks leave to people; 0: nothing')
    .addOption(limitOption('unless its task or its pool says something else'))
  addExamples(set, [
    'drawbridge account set work --reserve 20',
    'drawbridge account set work --on-limit switch',
  ])
  addServiceOptions(set).action(
    acting(surroundings, async (name: string, flags: SetFlags) =>
      (await import('./act-on-account.ts')).setAccount(name, flags, surroundings),
    ),
  )
  const pool = account
    .command('pool')
    .summary('pools of accounts: who is in one, and what it may do')
    .description('Lists the pools, or changes one.')
    .argument('[name]', 'the pool')
    .option('--add <account>', 'an account that it gets; repeatable', collect, [])
    .option('--remove <account>', 'an account that leaves it; repeatable', collect, [])
    .addOption(limitOption('for tasks that do not say it themselves'))
    .addOption(
      new Option('--billing <what>', 'same, or any: may tasks go from a plan to an API key and back').choices(
        ['same', 'any'],
      ),
    )
  addServiceOptions(pool).action(
    acting(surroundings, async (name: string | undefined, flags: PoolFlags) =>
      (await import('./pools.ts')).accountPools(name, flags, surroundings),
    ),
  )
  addExamples(
    pool,
    ['drawbridge account pool', 'drawbridge account pool team --add work --add home --on-limit switch'],
    POOL_HELP,
  )
}

function limitOption(when: string): Option {
  const about = `at a usage limit: park, or switch to another account of the pool; ${when}`
  return new Option('--on-limit <what>', about).choices(['park', 'switch'])
}
