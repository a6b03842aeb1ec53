import { UsageError } from '../process/index.ts'

const UNITS_MS: Readonly<Record<string, number>> = {
  h: 3_600_000,
  d: 24 * 3_600_000,
  w: 7 * 24 * 3_600_000,
}
const DATE = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:\d{2})?)?$/

/** `30d`, `12h`, `8w`, or a date, which means its beginning here. Throws for anything else, and for what is over. */
export function expiryTime(text: string, now: number): number {
  const [, count, unit] = /^(\d{1,4})([hdw])$/.exec(text) ?? []
  // A date without a time would be read as UTC.
  const date = DATE.test(text) ? Date.parse(text.includes('T') ? text : `${text}T00:00`) : Number.NaN
  const at = unit === undefined ? date : now + Number(count) * UNITS_MS[unit]!
  if (Number.isNaN(at))
    throw new UsageError(`--expires: write 12h, 30d, 8w or a time like 2027-01-31, not: ${text}`)
  if (at <= now) throw new UsageError(`--expires: that is over: ${text}`)
  return at
}
