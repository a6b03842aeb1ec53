import type { Command } from 'commander'
import { type Adding, addExamples } from '../help/index.ts'
import { EXIT, type Surroundings } from '../process/index.ts'
import { printJson, printTable } from '../screen/index.ts'
import { acting, addServiceOptions, type ServiceFlags, serviceClient } from '../service/index.ts'

const HELP = `
A worker is one \`drawbridge serve\` on a shared PostgreSQL. On SQLite there is one, this service.
up: takes tasks · draining: takes no new ones, and goes on with those it has · stopped: was shut down; its tasks go on
when it starts again · lost: was not heard of for too long. Tasks of a lost worker wait for it, or end as lost
(\`drawbridge task start --on-lost fail\`).
Any worker answers for all of them: it does not matter which one this command asks.`

export function addWorkersCommand(program: Command, surroundings: Surroundings, { isListed }: Adding): void {
  const workers = program
    .command('workers')
    .summary('the services that share the database, and what they do')
    .description(
      'Lists the services that share the database: their state, how many turns they run, when they were last heard of.',
    )
    .enablePositionalOptions()
  addServiceOptions(workers).action(acting(surroundings, (flags: ServiceFlags) => list(flags, surroundings)))
  if (isListed) return
  addDrain(workers, surroundings)
  addUndrain(workers, surroundings)
  addExamples(
    workers,
    [
      'drawbridge workers',
      ['drawbridge workers drain build-2', 'before its machine is serviced'],
      ['drawbridge workers undrain build-2', 'afterwards'],
      `drawbridge workers --json | jq -r '.[] | select(.state == "lost").name'`,
    ],
    HELP,
  )
}

async function list(flags: ServiceFlags, surroundings: Surroundings): Promise<number> {
  const workers = await (await serviceClient(flags, surroundings)).workers()
  if (flags.json) printJson(surroundings, workers)
  else {
    const { workerTable } = await import('./worker-table.ts')
    printTable(surroundings, workerTable(workers))
  }
  return EXIT.done
}

function addDrain(workers: Command, surroundings: Surroundings): void {
  const drain = workers
    .command('drain')
    .summary('give a worker no new tasks')
    .description(
      'Gives a worker no new tasks. Those it has stay with it and go on: their threads are on its machine.',
    )
    .argument('<worker>', 'its name or id, or enough of the beginning')
  addExamples(drain, ['drawbridge workers drain build-2', 'drawbridge workers drain build-2 --json'])
  addServiceOptions(drain).action(
    acting(surroundings, async (given: string, flags: ServiceFlags) => {
      const { drainWorker } = await import('./drain-worker.ts')
      return drainWorker(given, { ...flags, isDraining: true }, surroundings)
    }),
  )
}

function addUndrain(workers: Command, surroundings: Surroundings): void {
  const undrain = workers
    .command('undrain')
    .summary('give a drained worker new tasks again')
    .description('Gives a drained worker new tasks again.')
    .argument('<worker>', 'its name or id, or enough of the beginning')
  addExamples(undrain, ['drawbridge workers undrain build-2', 'drawbridge workers undrain build-2 --json'])
  addServiceOptions(undrain).action(
    acting(surroundings, async (given: string, flags: ServiceFlags) => {
      const { drainWorker } = await import('./drain-worker.ts')
      return drainWorker(given, { ...flags, isDraining: false }, surroundings)
    }),
  )
}
