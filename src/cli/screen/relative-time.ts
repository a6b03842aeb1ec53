const UNITS = [
  { name: 'd', ms: 86_400_000 },
  { name: 'h', ms: 3_600_000 },
  { name: 'm', ms: 60_000 },
] as const

/** `3m`, `2h 5m`: the two largest units. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  if (seconds < 60) return `${seconds}s`
  const at = UNITS.findIndex((unit) => ms >= unit.ms)
  const unit = UNITS[at === -1 ? UNITS.length - 1 : at]!
  const whole = Math.floor((seconds * 1000) / unit.ms)
  const smaller = UNITS[UNITS.indexOf(unit) + 1]
  const rest = smaller ? Math.floor((seconds * 1000 - whole * unit.ms) / smaller.ms) : 0
  return rest > 0 ? `${whole}${unit.name} ${rest}${smaller!.name}` : `${whole}${unit.name}`
}

export function ago(at: number, now: number): string {
  return at > now ? `in ${duration(at - now)}` : `${duration(now - at)} ago`
}
