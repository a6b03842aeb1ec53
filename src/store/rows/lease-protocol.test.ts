// The lease protocol as a whole, on real databases: whatever workers do, and in whatever order, a task has one writer per
// generation, a start that is over writes nothing, a question has one decision and a command begins at most once.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { STORES } from '../../../test/support/stores.ts'
import { type Action, act, ProtocolRun } from '../fixtures/lease-protocol.ts'

const some = fc.nat({ max: 11 })
const of = <K extends Action['do']>(weight: number, ...kinds: K[]) => ({
  weight,
  arbitrary: fc.record({ do: fc.constantFrom(...kinds), worker: some, task: some }),
})
const action: fc.Arbitrary<Action> = fc.oneof(
  of(6, 'write'),
  of(4, 'claim', 'adopt'),
  of(2, 'release'),
  of(3, 'sweep', 'queue'),
  of(3, 'restart', 'beat', 'expire', 'stop'),
  of(1, 'decide'),
  of(3, 'send', 'take', 'finish', 'cancel'),
)

/** Long ones: a lease has to be given, lost and given to another before its first owner can go wrong. */
const actions = fc.array(action, { minLength: 40, maxLength: 90 })

describe.each(STORES)('whatever workers do on $name', ({ name, make }) => {
  it('keeps one writer, one decision, one execution', async () => {
    const { db } = await (await make()).open()
    const inOrder = async (steps: readonly Action[]) => {
      const run = await ProtocolRun.begin(db)
      for (const step of steps) await act(run, step)
      expect(await run.violations()).toEqual([])
    }
    await fc.assert(fc.asyncProperty(actions, inOrder), { numRuns: name === 'SQLite' ? 100 : 40 })
  })
})

describe('whatever workers do at the same time on PostgreSQL', () => {
  it('keeps one writer, one decision, one execution', async () => {
    const { db } = await (await STORES[1].make()).open()
    const atOnce = async (steps: readonly Action[]) => {
      const run = await ProtocolRun.begin(db)
      // Each worker acts in its own order; the database interleaves their transactions.
      const lanes = run.ids.map(async (id, lane) => {
        for (const step of steps) if (step.worker % run.ids.length === lane) await act(run, step, id)
      })
      await Promise.all(lanes)
      expect(await run.violations()).toEqual([])
    }
    await fc.assert(fc.asyncProperty(actions, atOnce), { numRuns: 40 })
  })
})
