import { describe, expect, it } from 'vitest'
import type { Worker } from '../../api/index.ts'
import { drainedText, undrainedText } from './drain-worker.ts'
import { findWorker } from './find-worker.ts'
import { workerTable } from './worker-table.ts'

function worker(known: Partial<Worker> = {}): Worker {
  return {
    id: '0192-aa',
    name: 'build-1',
    machine: 'build-1.example',
    version: '0.1.0',
    labels: ['gpu', 'linux'],
    state: 'up',
    capacity: 8,
    working: 2,
    tasks: 5,
    url: null,
    startedAt: 0,
    beatAt: 1,
    silentMs: 2100,
    isThis: true,
    ...known,
  }
}

const TWO = [
  worker(),
  worker({ id: '0192-bb', name: 'build-2', state: 'lost', labels: [], silentMs: 90_000 }),
]

describe('the table of workers', () => {
  it('says how each is, how busy, and when it was last heard of', () => {
    const rows = workerTable(TWO).map((row) => row.map(({ text }) => text))
    expect(rows).toEqual([
      ['NAME', 'MACHINE', 'STATE', 'WORKING', 'TASKS', 'HEARD', 'VERSION', 'LABELS'],
      ['build-1', 'build-1.example', 'up', '2/8', '5', '2s ago', '0.1.0', 'gpu, linux'],
      ['build-2', 'build-1.example', 'lost', '2/8', '5', '1m ago', '0.1.0', '–'],
    ])
  })
})

describe('a worker is found', () => {
  it.each([
    ['build-2', '0192-bb'],
    ['Build-2', '0192-bb'],
    ['0192-aa', '0192-aa'],
    ['0192-b', '0192-bb'],
  ])('by name, id, or their beginning: %s', (given, id) => {
    expect(findWorker(TWO, given).id).toBe(id)
  })

  it('by its whole name, even if another begins with it', () => {
    expect(findWorker([...TWO, worker({ id: 'c', name: 'build-10' })], 'build-1').id).toBe('0192-aa')
  })

  it('not when there is none, or more than one', () => {
    expect(() => findWorker(TWO, 'gpu-1')).toThrow('there is no worker gpu-1')
    expect(() => findWorker(TWO, 'build')).toThrow(
      'build is not the only one: build-1 (up, id 0192-aa), build-2 (lost, id 0192-bb). Give its id',
    )
  })
})

describe('draining', () => {
  it('says what becomes of the tasks the worker has', () => {
    expect(drainedText(worker())).toBe('build-1 takes no new tasks. It keeps 5 tasks; 2 working now.')
    expect(drainedText(worker({ tasks: 1, working: 0 }))).toBe(
      'build-1 takes no new tasks. It keeps 1 task; none working now.',
    )
    expect(drainedText(worker({ tasks: 0, working: 0 }))).toBe('build-1 takes no new tasks. It has none.')
  })

  it('ended says whether the worker can take any', () => {
    expect(undrainedText(worker())).toBe('build-1 takes new tasks again.')
    expect(undrainedText(worker({ state: 'lost' }))).toBe(
      'build-1 is lost: it takes new tasks when it is up again.',
    )
  })
})
