// What `doctor` found, for programs and for people.
import type { SuitableCodex } from '../../hosts/index.ts'
import { asTyped, EXIT } from '../process/index.ts'
import type { Check, CheckStatus } from './check.ts'

export interface Report {
  /** Whether nothing failed; there may be warnings. */
  readonly ok: boolean
  readonly drawbridge: string
  readonly node: string
  readonly codex: SuitableCodex | null
  readonly codexHome: string | null
  readonly dataFolder: string
  readonly checks: readonly Check[]
}

export function exitCodeOf({ codex, ok }: Report): number {
  if (codex === null) return EXIT.unsuitable
  return ok ? EXIT.done : EXIT.failed
}

export interface Page {
  readonly columns: number
  paint(text: string, colour: 'green' | 'yellow' | 'red' | 'dim'): string
}

const LOOK: Record<CheckStatus, { readonly sign: string; readonly colour: 'green' | 'yellow' | 'red' }> = {
  ok: { sign: '✓', colour: 'green' },
  warn: { sign: '!', colour: 'yellow' },
  fail: { sign: '✗', colour: 'red' },
}

export function reportText(report: Report, page: Page): string {
  const idWidth = Math.max(...report.checks.map(({ id }) => id.length))
  const lines = report.checks.flatMap((check) => checkLines(check, { idWidth, page }))
  return `${[...lines, '', verdict(report)].join('\n')}\n`
}

function checkLines(check: Check, { idWidth, page }: { idWidth: number; page: Page }): string[] {
  const { sign, colour } = LOOK[check.status]
  const indent = ' '.repeat(idWidth + 4)
  const width = page.columns - indent.length
  const [first = '', ...more] = wrapped(check.what, width)
  const fix = check.fix === null ? [] : wrapped(`→ ${asTyped(check.fix)}`, width)
  return [
    `${page.paint(sign, colour)} ${check.id.padEnd(idWidth)}  ${first}`,
    ...more.map((line) => indent + line),
    ...fix.map((line) => indent + page.paint(line, 'dim')),
  ]
}

function verdict({ checks }: Report): string {
  const failed = checks.filter(({ status }) => status === 'fail').length
  const warned = checks.filter(({ status }) => status === 'warn').length
  const warnings = warned === 0 ? '' : ` (${count(warned, 'warning')})`
  if (failed === 0) return asTyped(`Ready: \`drawbridge run "…"\` can work here${warnings}.`)
  return `Not ready: ${count(failed, 'problem')} to fix first${warnings}.`
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

/** Breaks at spaces only: a long path stays whole, to be copied. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}
