import { useAccount } from '../../api/queries.ts'
import { asParams, numberOf, type Params } from '../../transcript/params.ts'
import { Panel } from '../../ui/panel.tsx'

/** How much of the account's limits is used, where codex says so. */
export function RateLimits() {
  const { data } = useAccount()
  const limits = asParams(asParams(data).rateLimits)
  const snapshot = 'rateLimits' in limits ? asParams(limits.rateLimits) : limits
  const windows = [snapshot.primary, snapshot.secondary].filter(Boolean).map(asParams)
  if (windows.length === 0) return null
  return (
    <Panel title="Limits of the account">
      <div className="flex flex-col gap-3 p-4">
        {windows.map((window) => (
          <Window key={String(window.windowDurationMins)} window={window} />
        ))}
      </div>
    </Panel>
  )
}

function Window({ window }: { readonly window: Params }) {
  const used = numberOf(window.usedPercent) ?? 0
  const minutes = numberOf(window.windowDurationMins)
  const resetsAt = numberOf(window.resetsAt)
  const name =
    minutes === null
      ? 'Window'
      : minutes >= 1440
        ? `${Math.round(minutes / 1440)} days`
        : `${Math.round(minutes / 60)} hours`
  return (
    <div className="text-[13px]">
      <div className="mb-1 flex justify-between">
        <span>{name}</span>
        <span className="text-soft">
          {Math.round(used)} % used
          {resetsAt !== null && `, new at ${new Date(resetsAt * 1000).toLocaleString()}`}
        </span>
      </div>
      <meter aria-label={`${name}: used`} className="h-2 w-full" min={0} max={100} high={80} value={used} />
    </div>
  )
}
