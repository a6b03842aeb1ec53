import { describe, expect, it } from 'vitest'
import type { Task } from '../api/contract.ts'
import { byColumn } from './columns.ts'
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
})

const task = (fields: Partial<Task>) => fields as Task

it('puts every task in one column of the board, one of an unknown status too', () => {
  const tasks = ['working', 'waiting', 'levitating'].map((status) =>
    task({ status: status as Task['status'] }),
  )
  const found = byColumn(tasks).map(({ column, tasks: here }) => [column.id, here.length])
  expect(found).toEqual([
    ['waiting', 1],
    ['working', 1],
    ['queued', 0],
    ['done', 0],
    ['ended', 1],
  ])
})
