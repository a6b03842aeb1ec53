import type { LentAccount } from '../api/contract.ts'
import { Ago, useNow } from '../ui/time.tsx'

type UsageWindow = NonNullable<LentAccount['facts']>['windows'][number]

/** How full the windows of an account were, and when Codex said so. */
export function AccountWindows({ account }: { readonly account: LentAccount }) {
  const { facts, reservePercent } = account
  const windows = facts?.windows ?? []
  if (windows.length === 0) return null
  return (
    <div className="grid gap-x-6 gap-y-2.5 sm:grid-cols-2">
      {windows.map((window) => (
        <Gauge key={window.name} window={window} />
      ))}
      {reservePercent > 0 && (
        <p className="text-[13px] text-soft sm:col-span-2">
          Tasks leave {reservePercent} % of each window to people.
        </p>
      )}
    </div>
  )
}

function Gauge({ window }: { readonly window: UsageWindow }) {
  const { name, usedPercent, resetsAt, at } = window
  const now = useNow()
  const isOver = resetsAt !== null && resetsAt <= now
  const used = isOver ? 0 : usedPercent
  return (
    <div className="min-w-0 text-[13px]">
      <div className="mb-1 flex flex-wrap justify-between gap-x-3">
        <span className="font-medium [overflow-wrap:anywhere]">{name}</span>
        <span className="tabular-nums">{isOver ? 'reset' : `${Math.round(used)} % used`}</span>
      </div>
      <meter aria-label={`${name}: used`} className="h-2 w-full" min={0} max={100} high={80} value={used} />
      <div className="mt-0.5 flex flex-wrap justify-between gap-x-3 text-xs text-soft">
        <span>
          {resetsAt !== null && `${isOver ? 'Reset at' : 'Resets at'} ${new Date(resetsAt).toLocaleString()}`}
        </span>
        <span>
          as of <Ago at={at} />
        </span>
      </div>
    </div>
  )
}
