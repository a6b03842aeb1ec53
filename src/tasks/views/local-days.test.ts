import { describe, expect, it } from 'vitest'
import { localDate, localDays } from './local-days.ts'

const HOUR = 3_600_000
const at = (text: string) => Date.parse(text)
const hours = (days: ReturnType<typeof localDays>) => days.map(({ from, to }) => (to - from) / HOUR)

describe('the days of a time zone', () => {
  it('go from midnight to midnight there, without a gap', () => {
    const days = localDays('2026-11-16', { count: 3, timeZone: 'Europe/Berlin' })
    expect(days).toEqual([
      { date: '2026-11-14', from: at('2026-11-13T23:00Z'), to: at('2026-11-14T23:00Z') },
      { date: '2026-11-15', from: at('2026-11-14T23:00Z'), to: at('2026-11-15T23:00Z') },
      { date: '2026-11-16', from: at('2026-11-15T23:00Z'), to: at('2026-11-16T23:00Z') },
    ])
  })

  it('have 23 and 25 hours when clocks change', () => {
    const of = (last: string, timeZone: string) => hours(localDays(last, { count: 3, timeZone }))
    expect(of('2026-03-30', 'Europe/Berlin')).toEqual([24, 23, 24])
    expect(of('2026-10-26', 'Europe/Berlin')).toEqual([24, 25, 24])
    expect(of('2026-03-09', 'America/New_York')).toEqual([24, 23, 24])
    expect(of('2026-04-06', 'Australia/Lord_Howe')).toEqual([24, 24.5, 24])
  })

  it('begin at one where clocks change at midnight, and may be left out altogether', () => {
    const [day] = localDays('2026-03-08', { count: 1, timeZone: 'America/Havana' })
    expect(day).toEqual({ date: '2026-03-08', from: at('2026-03-08T05:00Z'), to: at('2026-03-09T04:00Z') })
    expect(hours(localDays('2011-12-31', { count: 3, timeZone: 'Pacific/Apia' }))).toEqual([24, 0, 24])
  })

  it('are those of UTC, and of the ends of the world', () => {
    for (const [timeZone, from] of [
      ['UTC', '2026-11-16T00:00Z'],
      ['Asia/Kathmandu', '2026-11-15T18:15Z'],
      ['Pacific/Kiritimati', '2026-11-15T10:00Z'],
      ['Etc/GMT+12', '2026-11-16T12:00Z'],
    ] as const)
      expect([timeZone, localDays('2026-11-16', { count: 1, timeZone })[0]!.from]).toEqual([
        timeZone,
        at(from),
      ])
  })

  it('need a zone and a date that there are', () => {
    expect(() => localDays('2026-11-16', { count: 1, timeZone: 'Mars/Olympus' })).toThrow(RangeError)
    expect(() => localDays('yesterday', { count: 1, timeZone: 'UTC' })).toThrow(RangeError)
  })
})

it('today is another day elsewhere', () => {
  const now = at('2026-11-16T23:30Z')
  expect(localDate(now, 'UTC')).toBe('2026-11-16')
  expect(localDate(now, 'Europe/Berlin')).toBe('2026-11-17')
  expect(localDate(now, 'America/New_York')).toBe('2026-11-16')
})
