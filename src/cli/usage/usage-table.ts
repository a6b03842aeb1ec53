// Usage as people see it: a row for each day with a bar, and all of it in words.
import type { Usage, UsageDay } from '../../api/index.ts'
import { type Cell, duration } from '../screen/index.ts'

const BAR_COLUMNS = 24
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

export function usageTable(days: readonly UsageDay[]): Cell[][] {
  const most = Math.max(...days.map(tokensOf))
  const names = ['DAY', 'TURNS', 'FAILED', 'ASKED', 'ANSWERED AFTER', 'IN', 'CACHED', 'OUT', 'TOKENS']
  return [
    names.map((text): Cell => ({ text, colour: 'dim' })),
    ...days.map((day): Cell[] => {
      const { turns, tokens, questions, wait } = day
      return [
        { text: dayText(day.date) },
        quiet(turns.started),
        { ...quiet(turns.failed), ...(turns.failed > 0 && { colour: 'red' as const }) },
        quiet(questions.asked),
        wait ? { text: duration(wait.medianMs) } : NOTHING,
        quiet(tokens.input),
        quiet(tokens.cachedInput),
        quiet(tokens.output),
        { text: bar(tokensOf(day), most), colour: 'cyan' },
      ]
    }),
  ]
}

/** `1.2M tokens, 84 turns, answers after 40s (median)`, and what they are made of. */
export function usageText({ total, days, timeZone }: Usage): string[] {
  const { turns, tokens, questions, wait } = total
  const span = days.length === 1 ? 'Today' : `In ${days.length} days`
  const answers = wait ? `, answers after ${duration(wait.medianMs)} (median)` : ''
  const cached = tokens.input === 0 ? 0 : Math.round((100 * tokens.cachedInput) / tokens.input)
  return [
    `${span} (${timeZone}): ${count(tokensOf(total))} tokens, ${turns.started} ${turns.started === 1 ? 'turn' : 'turns'}${answers}`,
    `  tokens: ${count(tokens.input)} in (${cached}% cached), ${count(tokens.output)} out (${count(tokens.reasoningOutput)} reasoning)`,
    `  turns: ${turns.completed} completed, ${turns.failed} failed, ${turns.interrupted} interrupted`,
    `  questions: ${questions.asked} asked; ${questions.byRule} answered by rules, ${questions.byPerson} by people${longest(wait)}, ${questions.byDefault} by nobody in time, ${questions.withdrawn} withdrawn`,
  ]
}

const NOTHING: Cell = { text: '·', colour: 'dim' }

function longest(wait: Usage['total']['wait']): string {
  return wait ? ` (the slowest after ${duration(wait.maxMs)})` : ''
}

function quiet(amount: number): Cell {
  return amount === 0 ? NOTHING : { text: count(amount) }
}

function tokensOf({ tokens }: Pick<UsageDay, 'tokens'>): number {
  return tokens.input + tokens.output
}

function dayText(date: string): string {
  const weekday = new Date(`${date}T00:00:00Z`).toLocaleDateString('en', {
    weekday: 'short',
    timeZone: 'UTC',
  })
  return `${weekday} ${date}`
}

/** `950`, `12.3k`, `1.2M`. */
function count(amount: number): string {
  if (amount < 1_000) return String(amount)
  if (amount < 999_500) return `${(amount / 1_000).toFixed(amount < 99_950 ? 1 : 0)}k`
  return `${(amount / 1_000_000).toFixed(1)}M`
}

/** Whatever was used is seen. */
function bar(amount: number, most: number): string {
  if (amount === 0) return ''
  const eighths = Math.max(1, Math.round((amount / most) * BAR_COLUMNS * 8))
  return '█'.repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8]!
}
