import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Deadlines } from './deadlines.ts'

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }))
afterEach(() => void vi.useRealTimers())

function deadlines() {
  const due: string[] = []
  return { due, made: new Deadlines(Date.now, (id) => due.push(id)) }
}

it('calls back for each id when its time has come, and not for those that have none', () => {
  const { due, made } = deadlines()
  made.set('b', Date.now() + 200)
  made.set('a', Date.now() + 100)
  made.set('never', null)
  vi.advanceTimersByTime(150)
  expect(due).toEqual(['a'])
  vi.advanceTimersByTime(10_000)
  expect(due).toEqual(['a', 'b'])
})

it('calls back soon for a time that is over', () => {
  const { due, made } = deadlines()
  made.set('a', Date.now() - 5_000)
  expect(due).toEqual([])
  vi.advanceTimersByTime(1)
  expect(due).toEqual(['a'])
})

it('a new time replaces the old one, and a cleared one does not come', () => {
  const { due, made } = deadlines()
  made.set('a', Date.now() + 100)
  made.set('a', Date.now() + 300)
  made.set('b', Date.now() + 100)
  made.clear('b')
  made.clear('unknown')
  vi.advanceTimersByTime(299)
  expect(due).toEqual([])
  made.set('a', null)
  vi.advanceTimersByTime(1_000)
  expect(due).toEqual([])
})

it('keeps a time that is further away than a timer can be', () => {
  const { due, made } = deadlines()
  const months = 60 * 24 * 3_600_000
  made.set('a', Date.now() + months)
  vi.advanceTimersByTime(months - 1)
  expect(due).toEqual([])
  vi.advanceTimersByTime(1)
  expect(due).toEqual(['a'])
})

it('calls nobody back once it has stopped', () => {
  const { due, made } = deadlines()
  made.set('a', Date.now() + 100)
  made.stop()
  vi.advanceTimersByTime(1_000)
  expect(due).toEqual([])
})
