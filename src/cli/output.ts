// What commands print for people: lines and tables on stdout, coloured on a terminal only.
import { stripVTControlCharacters, styleText } from 'node:util'
import { visibleLine } from './approvals/visible.ts'
import { columnsIn, cutToColumns } from './screen-rows.ts'
import type { Surroundings } from './surroundings.ts'

export type Colour = 'green' | 'yellow' | 'red' | 'cyan' | 'dim' | 'bold'

export interface Cell {
  readonly text: string
  readonly colour?: Colour | undefined
}

type Place = Pick<Surroundings, 'stdout' | 'env'>

export function printJson({ stdout }: Pick<Surroundings, 'stdout'>, value: unknown): void {
  stdout.write(`${JSON.stringify(value)}\n`)
}

export function printLines(place: Place, lines: readonly (string | Cell)[]): void {
  for (const line of lines) {
    const { text, colour } = typeof line === 'string' ? { text: line, colour: undefined } : line
    place.stdout.write(`${painted(place, clean(text), colour)}\n`)
  }
}

/** Columns as wide as their widest cell; on a terminal the last one is cut at its edge. */
export function printTable(place: Place, rows: readonly (readonly Cell[])[]): void {
  const shown = rows.map((row) => row.map(({ text, colour }) => ({ text: visibleLine(text), colour })))
  const widths =
    shown[0]?.map((_, column) => Math.max(...shown.map((row) => columnsIn(row[column]!.text)))) ?? []
  const room = place.stdout.isTTY ? place.stdout.columns || 80 : Number.POSITIVE_INFINITY
  for (const row of shown) {
    let left = room
    const cells = row.map(({ text, colour }, column) => {
      const isLast = column === row.length - 1
      const fitting = isLast ? cutToColumns(text, Math.max(10, left)) : text
      left -= widths[column]! + 2
      const padding = isLast ? '' : ' '.repeat(widths[column]! - columnsIn(fitting))
      return `${painted(place, fitting, colour)}${padding}`
    })
    place.stdout.write(`${cells.join('  ').trimEnd()}\n`)
  }
}

function painted({ stdout, env }: Place, text: string, colour: Colour | undefined): string {
  if (!colour || !stdout.isTTY || env.NO_COLOR) return text
  return styleText(colour, text, { validateStream: false })
}

/** Text from a model or a command must not steer the terminal. */
function clean(text: string): string {
  return stripVTControlCharacters(text).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '')
}
