/** A moment as a person reads it, wherever they are: `2026-11-16 04:27 UTC`. */
export function timeText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

/** How long, in the unit people would say it in: `700 ms`, `3 s`, `15 min`, `2 h`. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${ms} ms`
  if (ms < 120_000) return `${rounded(ms / 1_000)} s`
  return ms < 7_200_000 ? `${rounded(ms / 60_000)} min` : `${rounded(ms / 3_600_000)} h`
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10
}
