// What happened on each of the last days, from the lists the API has.
import type { Approval, Task } from '../api/contract.ts'

export interface Day {
  /** Midnight of that day, where the reader is. */
  readonly at: number
  readonly turns: number
  readonly tokens: number
  /** Median wait of the questions people answered, in seconds. */
  readonly waitSeconds: number
}

export function daily(
  tasks: readonly Task[],
  approvals: readonly Approval[],
  { now, days }: { now: number; days: number },
): Day[] {
  const today = midnight(now)
  return Array.from({ length: days }, (_, index) => {
    const at = midnight(today - (days - 1 - index) * 86_400_000 + 43_200_000)
    const isThen = (time: number) => midnight(time) === at
    const started = tasks.filter(({ createdAt }) => isThen(createdAt))
    const waits = approvals
      .filter(({ by, createdAt, settledAt }) => by === 'person' && settledAt !== null && isThen(createdAt))
      .map(({ createdAt, settledAt }) => (settledAt! - createdAt) / 1000)
    return {
      at,
      turns: sum(started.map(({ turnCount }) => turnCount)),
      tokens: sum(started.map(({ usage }) => usage?.totalTokens ?? 0)),
      waitSeconds: median(waits),
    }
  })
}

function midnight(time: number): number {
  return new Date(time).setHours(0, 0, 0, 0)
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}
