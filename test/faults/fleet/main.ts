// `npm run test:crash:fleet`: three workers on one PostgreSQL; 100 rounds of killing a worker, 30 of restarting the
// database, 30 of cutting a worker off, 20 of freezing one. Prints the counts, and the seed that chooses the same
// moments again. `--rounds 0.1` makes a tenth of them.
import { parseArgs } from 'node:util'
import { seeded } from '../kill/seeded.ts'
import { FAULTS } from './faults.ts'
import { fleetRounds } from './rounds.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '1' },
    kill: { type: 'string', default: '100' },
    postgres: { type: 'string', default: '30' },
    cut: { type: 'string', default: '30' },
    freeze: { type: 'string', default: '20' },
    tasks: { type: 'string', default: '3' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
})
const share = (count: string) => Math.round(Number(count) * Number(values.rounds))
const rounds = {
  kill: share(values.kill),
  postgres: share(values.postgres),
  cut: share(values.cut),
  freeze: share(values.freeze),
}
const all = Object.values(rounds).reduce((sum, count) => sum + count, 0)
const startedAt = Date.now()
const seconds = () => Math.round((Date.now() - startedAt) / 1000)
const found = await fleetRounds({
  rounds,
  tasks: Number(values.tasks),
  random: seeded(Number(values.seed)),
  onRound: (round, fault) =>
    process.stderr.write(`round ${round + 1} of ${all} (${fault}), ${seconds()} s\n`),
})
for (const fault of FAULTS) console.log(`${fault} (--seed ${values.seed}): ${JSON.stringify(found[fault])}`)
console.log(`in ${seconds()} s`)
const isBad = Object.values(found).some(({ rounds: _, killed: __, ...bad }) =>
  Object.values(bad).some((count) => count > 0),
)
process.exitCode = isBad ? 1 : 0
