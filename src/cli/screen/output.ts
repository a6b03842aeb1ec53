// What commands print for people: lines and tables on stdout, coloured on a terminal only.
import { styleText } from 'node:util'
import type { Surroundings } from '../process/index.ts'
import { onScreen } from './printable.ts'
import { columnsIn, cutToColumns } from './screen-rows.ts'
import { visibleLine } from './visible.ts'

export type Colour = 'green' | 'yellow' | 'red' | 'cyan' | 'dim' | 'bold'

export interface Cell {
  readonly text: string
  readonly colour?: Colour | undefined
}

type Place = Pick<Surroundings, 'stdout' | 'env'>

export function printJson({ stdout }: Pick<Surroundings, 'stdout'>, value: unknown): void {
  stdout.write(`${JSON.stringify(value)}\n`)
}

/** What a model said: as it is into a file or a pipe, fit for a terminal on one. */
export function printText({ stdout }: Pick<Surroundings, 'stdout'>, text: string): void {
  stdout.write(`${stdout.isTTY ? onScreen(text) : text}\n`)
}

/** A line for the person at the terminal, beside the data on stdout. */
export function tell({ stderr }: Pick<Surroundings, 'stderr'>, text: string): void {
  stderr.write(`${onScreen(text)}\n`)
}

export function printLines(place: Place, lines: readonly (string | Cell)[]): void {
  for (const line of lines) {
    const { text, colour } = typeof line === 'string' ? { text: line, colour: undefined } : line
    place.stdout.write(`${painted(place, onScreen(text), colour)}\n`)
  }
}

/**
 * Columns as wide as their widest cell; on a terminal the last one is cut at its edge. `yielding` is a column that is
 * cut, too, where the last one would have less than twice its room.
 */
export function printTable(
  place: Place,
  rows: readonly (readonly Cell[])[],
  { yielding }: { yielding?: number } = {},
): void {
  const shown = rows.map((row) => row.map(({ text, colour }) => ({ text: visibleLine(text), colour })))
  const room = place.stdout.isTTY ? place.stdout.columns || 80 : Number.POSITIVE_INFINITY
  const widths = fittingWidths(shown, room, yielding)
  for (const row of shown) {
    const cells = row.map(({ text, colour }, column) => {
      const fitting = cutToColumns(text, widths[column]!)
      const isLast = column === row.length - 1
      const padding = isLast ? '' : ' '.repeat(widths[column]! - columnsIn(fitting))
      return `${painted(place, fitting, colour)}${padding}`
    })
    place.stdout.write(`${cells.join('  ').trimEnd()}\n`)
  }
}

const MIN_LAST = 10
const MIN_YIELDING = 6

function fittingWidths(rows: readonly (readonly Cell[])[], room: number, yielding?: number): number[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => columnsIn(row[column]!.text))))
  const last = widths?.pop()
  if (!widths || last === undefined) return []
  const left = () => room - widths.reduce((sum, width) => sum + width + 2, 0)
  if (yielding !== undefined) {
    const both = left() + widths[yielding]!
    const most = Math.max(MIN_YIELDING, Math.floor(both / 3), both - last)
    widths[yielding] = Math.min(widths[yielding]!, most)
  }
  return [...widths, Math.max(MIN_LAST, left())]
}

function painted({ stdout, env }: Place, text: string, colour: Colour | undefined): string {
  if (!colour || !stdout.isTTY || env.NO_COLOR) return text
  return styleText(colour, text, { validateStream: false })
}
