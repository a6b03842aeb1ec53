// Which figures of a day are drawn, and how they are told in words.
import type { Usage, UsageDay } from '../api/contract.ts'
import { countText, waitText } from '../ui/age-text.ts'

type Figures = Usage['total']

export interface DayFigure {
  readonly title: string
  /** What the bar of a day is made of, from the bottom. */
  readonly parts: readonly {
    readonly name: string
    readonly color: string
    readonly of: (day: UsageDay) => number
  }[]
  readonly text: (value: number) => string
  readonly steps?: readonly number[]
  /** Instead of bars without height. */
  readonly none: string
  /** Of a day, or of all. */
  readonly words: (figures: Figures) => string
}

export const TURNS: DayFigure = {
  title: 'Turns',
  parts: [
    { name: 'of them failed', color: '--bad', of: ({ turns }) => turns.failed },
    { name: 'turns', color: '--accent', of: ({ turns }) => Math.max(turns.started - turns.failed, 0) },
  ],
  text: String,
  none: 'No turn began.',
  words: ({ turns: { started, completed, failed, interrupted } }) =>
    sentence(plural(started, 'turn'), [
      [completed, 'completed'],
      [failed, 'failed'],
      [interrupted, 'interrupted'],
    ]),
}

export const TOKENS: DayFigure = {
  title: 'Tokens',
  parts: [
    { name: 'out', color: '--accent', of: ({ tokens }) => tokens.output },
    { name: 'in', color: '--busy', of: ({ tokens }) => tokens.input - tokens.cachedInput },
    { name: 'in, cached', color: '--busy-soft', of: ({ tokens }) => tokens.cachedInput },
  ],
  text: countText,
  none: 'Codex has told of no tokens.',
  words: ({ tokens: { input, cachedInput, output, reasoningOutput } }) => {
    const cached = input > 0 ? ` (${Math.round((100 * cachedInput) / input)} % cached)` : ''
    const reasoning = reasoningOutput > 0 ? ` (${countText(reasoningOutput)} reasoning)` : ''
    return `${countText(input)} in${cached}, ${countText(output)} out${reasoning}`
  },
}

const SECOND_STEPS = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21_600, 86_400, 604_800]

export const QUESTIONS: DayFigure = {
  title: 'Wait for an answer',
  parts: [{ name: 'median', color: '--wait', of: ({ wait }) => (wait ? wait.medianMs / 1000 : 0) }],
  text: (seconds) => (seconds === 0 ? '0' : axisText(seconds)),
  steps: SECOND_STEPS,
  none: 'No person has answered a question.',
  words: ({ questions: { asked, byRule, byPerson, byDefault, withdrawn }, wait }) => {
    const slowest = wait && byPerson > 1 ? `, slowest ${waitText(wait.maxMs)}` : ''
    const after = wait ? ` (after ${waitText(wait.medianMs)}${slowest})` : ''
    return sentence(plural(asked, 'question'), [
      [byRule, 'answered by rules'],
      [byPerson, `by people${after}`],
      [byDefault, 'by nobody in time'],
      [withdrawn, 'withdrawn'],
    ])
  },
}

/** `1.2M tokens, 84 turns, answers after 40 s (median)`. */
export function totalText({ total: { tokens, turns, wait } }: Usage): string {
  const answers = wait ? `, answers after ${waitText(wait.medianMs)} (median)` : ''
  return `${countText(tokens.input + tokens.output)} tokens, ${plural(turns.started, 'turn')}${answers}`
}

export function dayText(date: string): string {
  return new Date(`${date}T00:00:00Z`).toLocaleDateString(undefined, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
  })
}

/** `5 turns: 4 completed, 1 failed`; what there was none of is left out. */
function sentence(what: string, parts: readonly (readonly [number, string])[]): string {
  const said = parts.filter(([count]) => count > 0).map(([count, how]) => `${count} ${how}`)
  return said.length === 0 ? what : `${what}: ${said.join(', ')}`
}

function plural(count: number, thing: string): string {
  return `${countText(count)} ${thing}${count === 1 ? '' : 's'}`
}

function axisText(seconds: number): string {
  const [size, unit] = seconds < 60 ? [1, 's'] : seconds < 3600 ? [60, 'min'] : [3600, 'h']
  return `${Number((seconds / size).toFixed(1))} ${unit}`
}
