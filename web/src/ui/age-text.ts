const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
] as const

/** `3 min`, `2 h`; `now` below five seconds. */
export function ageText(ms: number): string {
  if (ms < 5000) return 'now'
  const [unit, size] = UNITS.find(([, length]) => ms >= length)!
  return `${Math.floor(ms / size)} ${unit}`
}

/** `740 ms`, `1.2 s`, `3 min 20 s`. */
export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`
}

/** `40 s`, `3 min 20 s`: as exact as somebody who waited cares. */
export function waitText(ms: number): string {
  return ms >= 10_000 && ms < 59_500 ? `${Math.round(ms / 1000)} s` : durationText(ms)
}

/** `950`, `12.3k`, `60k`, `1.2M`. */
export function countText(count: number): string {
  if (count < 1000) return String(count)
  if (count < 999_500) return `${Number((count / 1000).toFixed(count < 100_000 ? 1 : 0))}k`
  return `${Number((count / 1_000_000).toFixed(1))}M`
}

export function bytesText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`
  if (bytes < 1024 ** 2) return `${(bytes / 1024).toFixed(0)} KB`
  if (bytes < 1024 ** 3) return `${(bytes / 1024 ** 2).toFixed(0)} MB`
  return `${(bytes / 1024 ** 3).toFixed(1)} GB`
}
