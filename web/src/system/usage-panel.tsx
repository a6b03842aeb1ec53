import { useMemo } from 'react'
import { useSettledApprovals, useTasks } from '../api/queries.ts'
import { countText, durationText } from '../ui/age-text.ts'
import { Panel } from '../ui/panel.tsx'
import { Plot } from '../ui/plot.tsx'
import { type Day, daily } from './daily.ts'

const DAYS = 14

/** Of the newest tasks and answers: what a page of the API holds. */
export function UsagePanel() {
  const { data: tasks } = useTasks({ archived: 'true' })
  const { data: approvals } = useSettledApprovals()
  const days = useMemo(
    () =>
      daily(tasks?.pages.flatMap(({ items }) => items) ?? [], approvals ?? [], {
        now: Date.now(),
        days: DAYS,
      }),
    [tasks, approvals],
  )
  return (
    <Panel title={`The last ${DAYS} days`}>
      <div className="grid gap-4 p-4 sm:grid-cols-3">
        <DayPlot title="Turns" days={days} pick={turns} color="--accent" text={String} />
        <DayPlot title="Tokens" days={days} pick={tokens} color="--busy" text={countText} />
        <DayPlot title="Wait for an answer" days={days} pick={wait} color="--wait" text={waitText} />
      </div>
    </Panel>
  )
}

const turns = (day: Day) => day.turns
const tokens = (day: Day) => day.tokens
const wait = (day: Day) => day.waitSeconds
const waitText = (seconds: number) => (seconds === 0 ? '0' : durationText(seconds * 1000))

interface DayPlotProps {
  readonly title: string
  readonly days: readonly Day[]
  readonly pick: (day: Day) => number
  readonly color: string
  readonly text: (value: number) => string
}

function DayPlot({ title, days, pick, color, text }: DayPlotProps) {
  const xs = useMemo(() => days.map((_, index) => index), [days])
  const series = useMemo(() => [{ name: title, color, values: days.map(pick) }], [days, title, color, pick])
  const dayText = useMemo(
    () => (x: number) => (days[x] ? String(new Date(days[x].at).getDate()) : ''),
    [days],
  )
  return (
    <figure>
      <figcaption className="mb-1 text-[13px] font-medium text-soft">{title}</figcaption>
      <Plot
        label={`${title} by day: ${days.map(pick).map(text).join(', ')}`}
        xs={xs}
        series={series}
        xText={dayText}
        yText={text}
      />
    </figure>
  )
}
