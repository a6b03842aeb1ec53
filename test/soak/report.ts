import { median, printTable } from '../../bench/report.ts'
import type { Ledger } from './ledger.ts'
import type { Vitals } from './vitals.ts'

/** One thing that must hold at the end. */
export interface Check {
  readonly what: string
  readonly found: string
  readonly holds: boolean
}

const HEAP_GROWTH = { factor: 1.1, plusMb: 5 }
const FD_SLACK = 3

export function printFigures(vitals: Vitals, { ledger, seconds }: { ledger: Ledger; seconds: number }): void {
  const { turns, heapMb, fds, codexRssMb } = vitals
  const costs = `heap ${heapMb.toFixed(1)} MB, ${fds} fds, codex ${codexRssMb.toFixed(0)} MB`
  const kills = `${ledger.counted('kills')} kills, ${ledger.violations.length} violations`
  console.log(
    `${turns} turns in ${seconds.toFixed(0)} s: ${costs}, ${kills}, ${ledger.open.length} unsettled`,
  )
}

/** Whether what the run cost has grown. The first quarter is warm-up. */
export function costChecks(
  samples: readonly Vitals[],
  { turns, end }: { turns: number; end: Vitals },
): Check[] {
  const second = quarter(samples, { turns, number: 2 })
  const heap = {
    before: mean(second, 'heapMb'),
    after: mean(quarter(samples, { turns, number: 4 }), 'heapMb'),
  }
  const fdsBefore = median(second.map(({ fds }) => fds))
  return [
    {
      what: 'heap after gc, mean of the second and of the last quarter',
      found: `${heap.before.toFixed(1)} → ${heap.after.toFixed(1)} MB`,
      holds: heap.after <= heap.before * HEAP_GROWTH.factor + HEAP_GROWTH.plusMb,
    },
    {
      what: 'file descriptors, second quarter and end',
      found: `${fdsBefore} → ${end.fds}`,
      holds: Math.abs(end.fds - fdsBefore) <= FD_SLACK,
    },
  ]
}

export function printReport(
  ledger: Ledger,
  { samples, turns, checks }: { samples: readonly Vitals[]; turns: number; checks: readonly Check[] },
): void {
  const counted = (prefix: string) =>
    ledger.countedUnder(prefix).map(([what, count]) => ({ what, count: String(count) }))
  printTable('\nturns by status', counted('turn '))
  printTable('\nscenes played to their end', counted('scene '))
  const others = ['kills', 'scenes cut off by a kill', 'steers taken', 'steers queued', 'queued']
  const more = [
    'steers taken by codex and not answered',
    'queued turns that never started',
    'threads started',
    'threads resumed',
  ]
  const rows = [...others, ...more].map((what) => ({ what, count: String(ledger.counted(what)) }))
  printTable('\nwhat else happened', [...rows, ...counted('incident ')])
  const quarters = [1, 2, 3, 4].map((number) => {
    const part = quarter(samples, { turns, number })
    const rss = part.map(({ codexRssMb }) => codexRssMb)
    return {
      quarter: String(number),
      'heap MB': mean(part, 'heapMb').toFixed(1),
      fds: String(median(part.map(({ fds }) => fds))),
      'codex RSS MB': `${median(rss).toFixed(0)} (at most ${Math.max(...rss).toFixed(0)})`,
    }
  })
  printTable('\ncosts by quarter', quarters)
  const verdicts = checks.map(({ what, found, holds }) => ({
    check: what,
    found,
    '': holds ? 'ok' : 'FAILED',
  }))
  printTable('\nat the end', verdicts)
}

/** Which sample belongs where; one at its very end belongs to it. */
function quarter(
  samples: readonly Vitals[],
  { turns, number }: { turns: number; number: number },
): readonly Vitals[] {
  return samples.filter((sample) => Math.min(Math.ceil((4 * sample.turns) / turns), 4) === number)
}

function mean(samples: readonly Vitals[], key: 'heapMb'): number {
  return samples.reduce((sum, sample) => sum + sample[key], 0) / samples.length
}
