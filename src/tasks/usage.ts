// What was done and used, day by day, as everyone outside this room sees it. Plain data; times are milliseconds.

export interface UsageQuery {
  /** How many days, the last of them included. */
  readonly days: number
  /** Whose midnights divide them: an IANA name, `Europe/Berlin`. */
  readonly timeZone: string
  /** The last day, `2026-11-16`; today when it is left out. */
  readonly to?: string | undefined
}

export interface Usage {
  readonly timeZone: string
  /** Each day once, oldest first, also those on which nothing happened. */
  readonly days: readonly UsageDay[]
  /** Of all these days together. */
  readonly total: UsageFigures
}

export interface UsageDay extends UsageFigures {
  /** `2026-11-16` */
  readonly date: string
  /** When it began there; the next one began, or will, at `to`. */
  readonly from: number
  readonly to: number
}

export interface UsageFigures {
  readonly turns: TurnFigures
  /** Of the turns that ended, their sub-agents' with them. */
  readonly tokens: TokenFigures
  readonly questions: QuestionFigures
  /** How long codex waited for the answers that people gave; null when they gave none. */
  readonly wait: { readonly medianMs: number; readonly maxMs: number } | null
}

interface TurnFigures {
  /** Those that began; the rest is about those that ended. */
  readonly started: number
  readonly completed: number
  /** Also those that took too long, or died with codex. */
  readonly failed: number
  readonly interrupted: number
}

interface TokenFigures {
  readonly input: number
  /** Of the input. */
  readonly cachedInput: number
  readonly output: number
  /** Of the output. */
  readonly reasoningOutput: number
}

interface QuestionFigures {
  /** Those that were asked; the rest is about those that were settled. */
  readonly asked: number
  readonly byRule: number
  readonly byPerson: number
  /** Nobody answered in time, so it was no. */
  readonly byDefault: number
  readonly withdrawn: number
}

/** What can be added up of several days. */
export function addUp(days: readonly UsageFigures[]): Omit<UsageFigures, 'wait'> {
  return {
    turns: sumOf(days.map(({ turns }) => turns)),
    tokens: sumOf(days.map(({ tokens }) => tokens)),
    questions: sumOf(days.map(({ questions }) => questions)),
  }
}

function sumOf<T extends object>(all: readonly T[]): T {
  const names = Object.keys(all[0]!) as (keyof T)[]
  const sum = (name: keyof T) => all.reduce((total, each) => total + Number(each[name]), 0)
  return Object.fromEntries(names.map((name) => [name, sum(name)])) as T
}
