/** The name that was most likely meant; null when none is near. */
export function nearestName(name: string, known: readonly string[]): string | null {
  const most = Math.max(1, Math.floor(name.length / 3))
  const ranked = known
    .map((each) => ({ each, steps: distance(name.toLowerCase(), each.toLowerCase()) }))
    .filter(({ steps }) => steps <= most)
    .sort((a, b) => a.steps - b.steps || (a.each < b.each ? -1 : 1))
  return ranked[0]?.each ?? null
}

/** How many letters have to be added, dropped, changed or swapped with their neighbour. Underscores count as hyphens. */
function distance(one: string, other: string): number {
  const [a, b] = [one.replaceAll('-', '_'), other.replaceAll('-', '_')]
  if (Math.abs(a.length - b.length) > 40) return 40
  const rows = [Array.from({ length: b.length + 1 }, (_, index) => index)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = rows[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      let best = Math.min(change, rows[i - 1]![j]! + 1, row[j - 1]! + 1)
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (isSwapped) best = Math.min(best, rows[i - 2]![j - 2]! + 1)
      row.push(best)
    }
    rows.push(row)
  }
  return rows[a.length]![b.length]!
}
