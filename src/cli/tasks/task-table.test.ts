import { describe, expect, it } from 'vitest'
import type { Task } from '../../api/index.ts'
import { taskTable } from './task-table.ts'

const TASK = {
  ...{ id: '019a8000-0000-7000-8000-00005f3a91c2', title: 'Fix the tests', status: 'working' },
  ...{ waitingFor: null, queuePosition: null, openApprovals: 0, updatedAt: 40_000, labels: [] },
  ...{ archivedAt: null, worker: null, on: null },
} as unknown as Task

const rows = (...tasks: Partial<Task>[]) =>
  taskTable(
    tasks.map((task) => ({ ...TASK, ...task })),
    100_000,
  ).map((row) => row.map(({ text }) => text))

describe('a list of tasks', () => {
  it('has no column for workers where there is one service', () => {
    expect(rows({})).toEqual([
      ['ID', 'STATUS', 'UPDATED', 'LABELS', 'TITLE'],
      ['5f3a91c2', 'working', '1m ago', '', 'Fix the tests'],
    ])
  })

  it('says on which worker each is, and where those that wait for one want to be', () => {
    const shown = rows(
      { worker: { id: 'w', name: 'build-1' } },
      { status: 'queued', on: 'gpu', queuePosition: 2 },
      { status: 'queued' },
      { status: 'waiting', waitingFor: 'worker', worker: { id: 'w', name: 'build-1' } },
    )
    expect(shown.map((row) => [row[1], row[4]])).toEqual([
      ['STATUS', 'WORKER'],
      ['working', 'build-1'],
      ['queued #2', 'on gpu'],
      ['queued', '–'],
      ['waiting for worker', 'build-1'],
    ])
  })
})
