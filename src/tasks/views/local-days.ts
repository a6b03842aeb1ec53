// Days as people have them: from one midnight of their time zone to the next, 23 or 25 hours when clocks change.

export interface LocalDay {
  /** `2026-11-16` */
  readonly date: string
  readonly from: number
  readonly to: number
}

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
/** No place is further from UTC than this. */
const FARTHEST_MS = 15 * 60 * MINUTE_MS

/** So many days in order; `last` is the last one, `2026-11-16`. Throws a `RangeError` for a zone or date there is not. */
export function localDays(
  last: string,
  { count, timeZone }: { count: number; timeZone: string },
): LocalDay[] {
  const clock = new LocalClock(timeZone)
  const utc = Date.parse(`${last}T00:00:00Z`)
  if (Number.isNaN(utc)) throw new RangeError(`${last} is not a date`)
  const dates = Array.from({ length: count + 1 }, (_, index) =>
    isoDate(new Date(utc + (index - count + 1) * DAY_MS)),
  )
  const starts = dates.map((date) => clock.startOf(date))
  return dates.slice(0, -1).map((date, index) => ({ date, from: starts[index]!, to: starts[index + 1]! }))
}

/** The date it is there at this time. */
export function localDate(time: number, timeZone: string): string {
  return new LocalClock(timeZone).dateAt(time)
}

class LocalClock {
  readonly #format: Intl.DateTimeFormat

  constructor(timeZone: string) {
    const numeric = { year: 'numeric', month: '2-digit', day: '2-digit' } as const
    this.#format = new Intl.DateTimeFormat('en-US', { ...numeric, timeZone, calendar: 'iso8601' })
  }

  dateAt(time: number): string {
    const parts = new Map(this.#format.formatToParts(time).map(({ type, value }) => [type, value]))
    return `${parts.get('year')}-${parts.get('month')}-${parts.get('day')}`
  }

  /** The first minute of that day, which need not be midnight: clocks may change then, and a day may be left out. */
  startOf(date: string): number {
    const utc = Date.parse(`${date}T00:00:00Z`)
    let before = utc - FARTHEST_MS
    let after = utc + FARTHEST_MS
    while (after - before > MINUTE_MS) {
      const middle = before + Math.floor((after - before) / 2 / MINUTE_MS) * MINUTE_MS
      if (this.dateAt(middle) < date) before = middle
      else after = middle
    }
    return after
  }
}

function isoDate(date: Date): string {
  return date.toISOString().slice(0, 10)
}
