import { expect, it, onTestFinished } from 'vitest'
import { StoreError } from '../../store/index.ts'
import { DatabaseOutage } from './database-outage.ts'

const away = () => new StoreError('database-unreachable', 'cannot connect to postgres://me@db/x: refused.')

function openOutage() {
  const told: string[] = []
  const state = { isReachable: false, looks: 0, at: 0 }
  const outage = new DatabaseOutage({
    tell: (line) => told.push(line),
    isReachable: async () => {
      state.looks++
      return state.isReachable
    },
    lookEveryMs: 1,
    now: () => state.at,
  })
  onTestFinished(() => outage.stop())
  return { outage, told, state }
}

const BEGUN =
  'The database is away (cannot connect to postgres://me@db/x: refused). Turns go on; nothing is stored until it is back, and requests get 503.'

it('is told once when it begins and once when it is over, with how long it was', async () => {
  const { outage, told, state } = openOutage()
  for (let count = 0; count < 5; count++) expect(outage.hear(away())).toBe(true)
  await outage.hearOfPart(new Error('bus'), () => expect.unreachable())
  expect(told).toEqual([BEGUN])
  state.at = 72_000
  state.isReachable = true
  await expect.poll(() => told).toEqual([BEGUN, 'The database is back after 1m.'])
  const { looks } = state
  outage.hear(away())
  await expect.poll(() => told).toEqual([BEGUN, expect.any(String), BEGUN, 'The database is back after 0s.'])
  expect(state.looks).toBeGreaterThan(looks)
})

it('is not what an error of another kind says, nor a statement that was refused', async () => {
  const { outage, told, state } = openOutage()
  expect(outage.hear(new Error('a bug'))).toBe(false)
  expect(outage.hear(new StoreError('database-refused', 'deadlock'))).toBe(false)
  state.isReachable = true
  const lines: string[] = []
  await outage.hearOfPart(new Error('upkeep'), () => lines.push('upkeep'))
  expect([lines, told]).toEqual([['upkeep'], []])
})

it('is found by an error that says nothing of it, when the database does not answer', async () => {
  const { outage, told } = openOutage()
  await outage.hearOfPart(new Error('Connection terminated unexpectedly'), () => expect.unreachable())
  expect(told).toEqual([expect.stringContaining('The database is away (Connection terminated')])
})
