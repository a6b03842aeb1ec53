// What was done and used, day by day, as everyone outside this room sees it. Plain data; times are milliseconds.
import type { UsageFigures } from '../../store/index.ts'

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
