// A few rounds of what `npm run test:crash` does for hours if you let it.
import { expect, it } from 'vitest'
import { NOTHING } from './crash-stage.ts'
import { killRounds, type Victim } from './rounds.ts'

const ROUNDS = 4

it.each(['service', 'app-server', 'both'] as const satisfies readonly Victim[])(
  'loses nothing and doubles nothing when kill -9 hits: %s',
  async (victim) => {
    const findings = await killRounds({ victim, rounds: ROUNDS, tasks: 3, random: Math.random })
    expect(findings).toEqual({ ...NOTHING, rounds: ROUNDS, killed: findings.killed })
    expect(findings.killed).toBeGreaterThan(0)
  },
  180_000,
)
