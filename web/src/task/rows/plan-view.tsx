import { Circle, CircleCheck, CircleDot, ListTodo } from 'lucide-react'
import type { PlanRow } from '../../transcript/row.ts'
import { classNames } from '../../ui/class-names.ts'

const STEP_ICONS = { completed: CircleCheck, inProgress: CircleDot } as const

export function PlanView({ row }: { readonly row: PlanRow }) {
  return (
    <section aria-label="Plan" className="rounded-lg border border-line bg-panel p-3 text-sm">
      <p className="mb-1.5 flex items-center gap-2 text-[13px] font-medium text-soft">
        <ListTodo size={15} aria-hidden /> Plan
      </p>
      {row.explanation && <p className="mb-2 text-soft">{row.explanation}</p>}
      <ol className="flex flex-col gap-1">
        {row.steps.map(({ step, status }) => {
          const Icon = STEP_ICONS[status as keyof typeof STEP_ICONS] ?? Circle
          return (
            <li key={step} className={classNames('flex gap-2', status === 'completed' && 'text-soft')}>
              <Icon
                size={15}
                aria-label={status}
                className={classNames(
                  'mt-0.5 shrink-0',
                  status === 'completed' ? 'text-good' : status === 'inProgress' ? 'text-busy' : 'text-soft',
                )}
              />
              {step}
            </li>
          )
        })}
      </ol>
    </section>
  )
}
