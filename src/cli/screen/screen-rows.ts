// How many columns text takes on a screen. Where terminals differ it counts too many rather than too few: a row that
// is wider than we think would wrap and leave its rest behind when it is erased.

/** Cuts one line into rows of at most this many columns. */
export function screenRows(line: string, columns: number): string[] {
  const rows: string[] = []
  let row = ''
  let width = 0
  for (const character of line.replaceAll('\t', '    ')) {
    const wide = columnsOf(character)
    if (width + wide > columns) {
      rows.push(row)
      row = ''
      width = 0
    }
    row += character
    width += wide
  }
  return [...rows, row]
}

export function columnsIn(line: string): number {
  return [...line].reduce((sum, character) => sum + columnsOf(character), 0)
}

/** With an ellipsis where something is missing. */
export function cutToColumns(line: string, columns: number): string {
  if (columnsIn(line) <= columns) return line
  return `${screenRows(line, columns - 1)[0]}…`
}

function columnsOf(character: string): number {
  const code = character.codePointAt(0)!
  if (code < 0x1100) return 1
  // Punctuation, arrows, boxes and the spinner.
  return (code >= 0x2010 && code < 0x2329) || (code >= 0x2400 && code < 0x25fd) || isBraille(code) ? 1 : 2
}

function isBraille(code: number): boolean {
  return code >= 0x2800 && code < 0x2900
}
