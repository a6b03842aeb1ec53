export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** A plain aligned table: first column left, the others right. */
export function printTable(title: string, rows: readonly Readonly<Record<string, string>>[]): void {
  const columns = Object.keys(rows[0] ?? {})
  const widths = columns.map((column) => Math.max(column.length, ...rows.map((row) => row[column]!.length)))
  const line = (cells: readonly string[]) =>
    cells.map((cell, index) => (index ? cell.padStart(widths[index]!) : cell.padEnd(widths[0]!))).join('  ')
  console.log(title)
  console.log(line(columns))
  for (const row of rows) console.log(line(columns.map((column) => row[column]!)))
}
