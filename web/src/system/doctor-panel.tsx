import { CircleAlert, CircleCheck, CircleX, RotateCw } from 'lucide-react'
import { useRef } from 'react'
import type { DoctorCheck, DoctorReport } from '../api/contract.ts'
import { ApiError } from '../api/http.ts'
import { useDoctor } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { CodeText } from '../ui/code-text.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Panel } from '../ui/panel.tsx'
import { Ago } from '../ui/time.tsx'
import { useOnScreen } from '../ui/use-on-screen.ts'

const LOOKS = {
  fail: { icon: CircleX, tone: 'text-bad', word: 'failed' },
  warn: { icon: CircleAlert, tone: 'text-wait', word: 'warning' },
  ok: { icon: CircleCheck, tone: 'text-good', word: 'well' },
} as const
const WORST_FIRST: readonly DoctorCheck['status'][] = ['fail', 'warn', 'ok']

/** What `drawbridge doctor` finds: checked when the panel is first on screen, and when a person asks. */
export function DoctorPanel({ isPageFilled }: { readonly isPageFilled: boolean }) {
  const place = useRef<HTMLDivElement>(null)
  const isSeen = useOnScreen(place, { isSettled: isPageFilled })
  const { data: report, error, isFetching, refetch } = useDoctor({ isSeen })
  if (error instanceof ApiError && error.status === 501) return null
  return (
    <div ref={place}>
      <Panel
        title="Doctor"
        aside={
          <span className="flex items-center gap-3 text-[13px] text-soft">
            {report && !isFetching && (
              <span>
                Checked <Ago at={report.checkedAt} />
              </span>
            )}
            <Button size="small" disabled={isFetching} onClick={() => void refetch()}>
              <RotateCw size={14} aria-hidden /> {isFetching ? 'Checking…' : 'Check again'}
            </Button>
          </span>
        }
      >
        {error && !isFetching && (
          <div className="p-3">
            <ErrorNote error={error} />
          </div>
        )}
        {report ? <Findings report={report} /> : !error && <Looking isFetching={isFetching} />}
      </Panel>
    </div>
  )
}

function Looking({ isFetching }: { readonly isFetching: boolean }) {
  return (
    <p role="status" className="flex min-h-44 items-center justify-center gap-2 px-6 text-sm text-soft">
      {isFetching && <span aria-hidden className="breathe size-2 shrink-0 rounded-full bg-busy" />}A Codex is
      started to look at its settings, login and sandbox. That takes some seconds; no task notices.
    </p>
  )
}

function Findings({ report }: { readonly report: DoctorReport }) {
  const checks = WORST_FIRST.flatMap((status) => report.checks.filter((check) => check.status === status))
  return (
    <ul className="divide-y divide-line">
      {checks.map((check) => (
        <CheckRow key={check.id + check.what} check={check} />
      ))}
    </ul>
  )
}

function CheckRow({ check: { id, status, what, fix } }: { readonly check: DoctorCheck }) {
  const { icon: Icon, tone, word } = LOOKS[status]
  return (
    <li className="flex gap-3 px-4 py-2.5 text-sm">
      <Icon size={17} className={classNames('mt-0.5 shrink-0', tone)} role="img" aria-label={word} />
      <div className="flex min-w-0 flex-1 flex-col gap-x-3 gap-y-0.5 sm:flex-row">
        <span className="font-medium sm:w-28 sm:shrink-0">{id}</span>
        <div className="min-w-0 text-[13px] [overflow-wrap:anywhere]">
          <p className={status === 'ok' ? 'text-soft' : undefined}>
            <CodeText text={what} />
          </p>
          {fix !== null && (
            <p className="mt-0.5 text-soft">
              → <CodeText text={fix} />
            </p>
          )}
        </div>
      </div>
    </li>
  )
}
