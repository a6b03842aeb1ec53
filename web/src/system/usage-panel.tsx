import type { Usage } from '../api/contract.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import { Coming, Empty, Panel } from '../ui/panel.tsx'
import { Toggle } from '../ui/toggle.tsx'
import { DayChart } from './day-chart.tsx'
import { QUESTIONS, TOKENS, TURNS, totalText } from './usage-figures.ts'

const RANGES = ['7', '14', '30', '90'] as const
export type UsageDays = (typeof RANGES)[number]

interface Props {
  readonly usage: Usage | undefined
  readonly error: Error | null
  readonly days: UsageDays
  readonly onChoose: (days: UsageDays) => void
}

export function UsagePanel({ usage, error, days, onChoose }: Props) {
  const isEmpty = usage?.total.turns.started === 0 && usage.total.questions.asked === 0
  return (
    <Panel
      title="Usage"
      aside={
        <Toggle
          label="How many days"
          value={days}
          onChoose={onChoose}
          options={RANGES.map((count) => ({
            value: count,
            text: `${count} d`,
            title: `The last ${count} days`,
          }))}
        />
      }
    >
      <ErrorNote error={error} />
      {!usage && !error && <Coming />}
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
