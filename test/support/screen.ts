/** What is left on a screen after this was written to it: as much of a terminal as our CLI makes use of. */
export function screenOf(written: string): string {
  const rows: string[] = ['']
  let [row, column] = [0, 0]
  for (const [token] of written.matchAll(/\u001b\[[0-9;?]*[A-Za-z]|./gsu)) {
    if (token === '\n') row++
    else if (token === '\r') column = 0
    else if (/\u001b\[\d+A/.test(token)) row = Math.max(0, row - Number.parseInt(token.slice(2), 10))
    else if (token === '\u001b[J') {
      rows.length = row + 1
      rows[row] = rows[row]!.slice(0, column)
    } else if (!token.startsWith('\u001b')) {
      rows[row] =
        (rows[row] ?? '').padEnd(column).slice(0, column) + token + (rows[row] ?? '').slice(column + 1)
      column += token.length
    }
    rows[row] ??= ''
  }
  return rows.join('\n')
}
