// When a limit ends, where codex says it only in words. It hands on the provider's `resets_at` as a time of day where
// it runs, without seconds: "Try again at 3:04 PM.", or on another day "… at Nov 17th, 2026 12:42 AM.".

const MINUTE_MS = 60_000
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** What a failure says about the end of its limit, in the words and fields it came with; null when nothing. */
export function resetTimeIn(message: string, now = new Date()): Date | null {
  return ofBody(message, now) ?? ofDelay(message, now) ?? ofClock(message, now)
}

/** A provider's own answer, where codex hands it on as it came. */
function ofBody(message: string, now: Date): Date | null {
  if (!message.startsWith('{')) return null
  const seconds = (name: string) =>
    Number(new RegExp(`"${name}"\\s*:\\s*(\\d+)`).exec(message)?.[1] ?? Number.NaN)
  const at = seconds('resets_at') * 1_000
  const inMs = seconds('resets_in_seconds') * 1_000
  if (Number.isFinite(at)) return new Date(at)
  return Number.isFinite(inMs) ? new Date(now.getTime() + inMs) : null
}

/** A rate limit that says for how long: "Please try again in 11.054s." */
function ofDelay(message: string, now: Date): Date | null {
  const [, amount, unit] = /try again in (\d+(?:\.\d+)?)\s?(ms|s|m)\b/i.exec(message) ?? []
  if (!amount) return null
  const ms = Number(amount) * { ms: 1, s: 1_000, m: MINUTE_MS }[unit!.toLowerCase() as 'ms' | 's' | 'm']
  return new Date(now.getTime() + ms)
}

const CLOCK =
  /try again at (?:([A-Z][a-z]{2}) (\d{1,2})(?:st|nd|rd|th), (\d{4}) )?(\d{1,2}):(\d\d) ([AP]M)\b/i

/** The seconds were cut off: the limit is certainly over a minute later. */
function ofClock(message: string, now: Date): Date | null {
  const [, month, day, year, hour, minute, half] = CLOCK.exec(message) ?? []
  if (hour === undefined) return null
  const hours = (Number(hour) % 12) + (half!.toUpperCase() === 'PM' ? 12 : 0)
  const date =
    month === undefined ? today(now) : { year: Number(year), month: MONTHS.indexOf(month), day: Number(day) }
  if (date.month < 0) return null
  return new Date(new Date(date.year, date.month, date.day, hours, Number(minute)).getTime() + MINUTE_MS)
}

function today(now: Date): { year: number; month: number; day: number } {
  return { year: now.getFullYear(), month: now.getMonth(), day: now.getDate() }
}
