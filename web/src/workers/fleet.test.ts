import { describe, expect, it } from 'vitest'
import type { Worker } from '../api/contract.ts'
import { isFleet, placesOf, takers } from './fleet.ts'
import { heardText } from './heard-text.ts'

const worker = (known: Partial<Worker>): Worker =>
  ({ id: 'a', name: 'build-1', state: 'up', labels: [], working: 1, capacity: 8, ...known }) as Worker

describe('a fleet', () => {
  it('is more than one worker, or one that can be told apart by a label', () => {
    expect(isFleet([])).toBe(false)
    expect(isFleet([worker({})])).toBe(false)
    expect(isFleet([worker({ labels: ['gpu'] })])).toBe(true)
    expect(isFleet([worker({}), worker({ id: 'b', state: 'lost' })])).toBe(true)
  })

  it('offers the workers that are there, by id where two have a name, and then labels', () => {
    const workers = [
      worker({ labels: ['gpu', 'big'] }),
      worker({ id: 'b', labels: ['gpu'], state: 'draining' }),
      worker({ id: 'c', name: 'build-3', state: 'lost', labels: ['arm'] }),
      worker({ id: 'd', name: 'build-4' }),
    ]
    expect(placesOf(workers)).toEqual([
      { value: 'a', text: 'build-1 (1 of 8 working)' },
      { value: 'b', text: 'build-1 (draining: takes no new tasks)' },
      { value: 'build-4', text: 'build-4 (1 of 8 working)' },
      { value: 'big', text: 'Any with label big (1 worker)' },
      { value: 'gpu', text: 'Any with label gpu (2 workers)' },
    ])
    expect(takers(workers, workers[0]!)).toBe(1)
  })

  it('says when each was heard of', () => {
    expect(heardText('up', 2400)).toBe('heard 2 s ago')
    expect(heardText('draining', 130_000)).toBe('heard 2 min ago')
    expect(heardText('lost', 190_000)).toBe('not heard of for 3 min')
    expect(heardText('stopped', 7_300_000)).toBe('stopped 2 h ago')
  })
})
