import { describe, expect, it } from 'vitest'
import { COLUMNS, columnCount } from './columns.ts'
import { filterAddress, filterQuery, readFilter } from './task-filter.ts'

describe('the filter of tasks', () => {
  it('is in the address and comes back from it', () => {
    const filter = { column: 'waiting', search: 'fix & go', label: 'nightly', archived: true }
    expect(readFilter(filterAddress(filter).split('?')[1]!)).toEqual(filter)
    expect(filterAddress(readFilter(''))).toBe('/tasks')
  })

  it('asks for every status of a column', () => {
    expect(filterQuery(readFilter('state=done'))).toMatchObject({ status: 'idle,completed' })
  })

  it('asks a person for nothing that only a worker can do', () => {
    expect(filterQuery(readFilter('state=waiting'))).toMatchObject({
      status: 'waiting',
      waitingFor: 'person',
    })
    expect(filterQuery(readFilter('state=queued'))).toMatchObject({
      status: 'queued,limited,waiting',
      waitingFor: 'worker',
    })
  })
})

it('counts every task in one column of the board, one of an unknown status too', () => {
  const byStatus = { working: 2, starting: 1, waiting: 230, idle: 4, levitating: 1, limited: 5 }
  const counted = { byStatus, forWorker: 7 }
  expect(COLUMNS.map((column) => [column.id, columnCount(column, counted)])).toEqual([
    ['waiting', 223],
    ['working', 3],
    ['queued', 12],
    ['done', 4],
    ['ended', 1],
  ])
})
