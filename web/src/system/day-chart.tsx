import { useCallback, useMemo, useState } from 'react'
import type { Usage } from '../api/contract.ts'
import { Plot } from '../ui/plot.tsx'
import { type DayFigure, dayText } from './usage-figures.ts'

const DAY_STEPS = [1, 2, 3, 7, 14, 28]

/** One figure, a bar for each day; below it in words what somebody points at, or all of it. */
export function DayChart({ figure, usage }: { readonly figure: DayFigure; readonly usage: Usage }) {
  const { days, total } = usage
  const [pointed, setPointed] = useState<number | null>(null)
  // Counted back from today, so that today is always marked.
  const xs = useMemo(() => days.map((_, place) => place - days.length + 1), [days])
  const parts = useMemo(
    () => figure.parts.map(({ name, color, of }) => ({ name, color, values: days.map(of) })),
    [figure, days],
  )
  const xText = useCallback(
    (x: number) => {
      const day = days[x + days.length - 1]
      return day ? shortDay(day.date) : ''
    },
    [days],
  )
  const day = pointed === null ? undefined : days[pointed]
  const sums = days.map((each) => figure.parts.reduce((sum, { of }) => sum + of(each), 0))
  return (
    <figure className="min-w-0">
      <figcaption className="mb-1 text-[13px] font-medium">{figure.title}</figcaption>
      {sums.every((sum) => sum === 0) ? (
        <p className="flex h-40 items-center justify-center rounded-lg bg-sunk px-4 text-center text-[13px] text-soft">
          {figure.none}
        </p>
      ) : (
        <Plot
          label={`${figure.title} by day: ${sums.map(figure.text).join(', ')}`}
          xs={xs}
          parts={parts}
          xText={xText}
          yText={figure.text}
          xSteps={DAY_STEPS}
          ySteps={figure.steps}
          onPoint={setPointed}
        />
      )}
      <p className="mt-1 text-[13px] text-soft md:min-h-15">
        {day && <span className="font-medium text-ink">{dayText(day.date)}: </span>}
        {figure.words(day ?? total)}
      </p>
    </figure>
  )
}

function shortDay(date: string): string {
  return new Date(`${date}T00:00:00Z`).toLocaleDateString(undefined, {
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
  })
}
