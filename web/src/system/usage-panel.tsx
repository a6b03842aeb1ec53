import { useUsage } from '../api/queries.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import { useKept } from '../ui/kept-value.ts'
import { Empty, Panel } from '../ui/panel.tsx'
import { Toggle } from '../ui/toggle.tsx'
import { DayChart } from './day-chart.tsx'
import { QUESTIONS, TOKENS, TURNS, totalText } from './usage-figures.ts'

const RANGES = ['7', '14', '30', '90'] as const

export function UsagePanel() {
  const [range, setRange] = useKept<(typeof RANGES)[number]>('usage-days', '14')
  const { data: usage, error } = useUsage(Number(range))
  const isEmpty = usage?.total.turns.started === 0 && usage.total.questions.asked === 0
  return (
    <Panel
      title="Usage"
      aside={
        <Toggle
          label="How many days"
          value={range}
          onChoose={setRange}
          options={RANGES.map((days) => ({ value: days, text: `${days} d`, title: `The last ${days} days` }))}
        />
      }
    >
      <ErrorNote error={error} />
      {isEmpty && (
        <Empty title={`Nothing was done in the last ${usage.days.length} days`}>
          Turns, tokens and how long questions waited are shown here by day. They are kept when tasks are
          deleted.
        </Empty>
      )}
      {usage && !isEmpty && (
        <div className="flex flex-col gap-4 p-4">
          <p className="text-[15px] font-medium">{totalText(usage)}</p>
          <div className="grid gap-x-6 gap-y-5 md:grid-cols-3">
            {[TURNS, TOKENS, QUESTIONS].map((figure) => (
              <DayChart key={figure.title} figure={figure} usage={usage} />
            ))}
          </div>
        </div>
      )}
    </Panel>
  )
}
