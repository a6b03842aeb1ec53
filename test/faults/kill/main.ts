// `npm run test:crash`: 200 rounds of killing the service, 50 of killing codex, 50 of both. Prints the counts, and the
// seed that chooses the same moments again.
import { parseArgs } from 'node:util'
import { killRounds, type Victim } from './rounds.ts'
import { seeded } from './seeded.ts'

const { values } = parseArgs({
  options: {
    service: { type: 'string', default: '200' },
    'app-server': { type: 'string', default: '50' },
    both: { type: 'string', default: '50' },
    tasks: { type: 'string', default: '3' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
})
let isBad = false
for (const victim of ['service', 'app-server', 'both'] as const satisfies readonly Victim[]) {
  const rounds = Number(values[victim])
  if (rounds === 0) continue
  const startedAt = Date.now()
  const findings = await killRounds({
    victim,
    rounds,
    tasks: Number(values.tasks),
    random: seeded(Number(values.seed)),
    onRound: (round) => {
      if ((round + 1) % 10 === 0) process.stderr.write(`${victim}: round ${round + 1} of ${rounds}\n`)
    },
  })
  const { rounds: _, killed, ...bad } = findings
  isBad ||= Object.values(bad).some((count) => count > 0)
  console.log(
    `kill ${victim} (--seed ${values.seed}): ${JSON.stringify(findings)} in ${Math.round((Date.now() - startedAt) / 1000)} s`,
  )
}
process.exitCode = isBad ? 1 : 0
