import { lazy, Suspense } from 'react'
import { AccountNote } from '../account/account-note.tsx'
import {
  useAccount,
  useHosts,
  useLentAccounts,
  useNotices,
  useStatus,
  useTokens,
  useUsage,
  useWorkers,
} from '../api/queries.ts'
import { FactList } from '../task/side/fact-list.tsx'
import { RateLimits } from '../task/side/rate-limits.tsx'
import { TokensPanel } from '../tokens/tokens-panel.tsx'
import { TrustPanel } from '../trust/trust-panel.tsx'
import { useTrustList } from '../trust/use-trust.ts'
import { useKept } from '../ui/kept-value.ts'
import { Page, Panel } from '../ui/panel.tsx'
import { Ago } from '../ui/time.tsx'
import { WorkersPanel } from '../workers/workers-panel.tsx'
import { AccountsPanel } from './accounts-panel.tsx'
import { AppearancePanel } from './appearance-panel.tsx'
import { DoctorPanel } from './doctor-panel.tsx'
import { HostsPanel } from './hosts-panel.tsx'
import { NoticesPanel } from './notices-panel.tsx'
import type { UsageDays } from './usage-panel.tsx'

const UsagePanel = lazy(() => import('./usage-panel.tsx').then((room) => ({ default: room.UsagePanel })))

/** As often as workers are heard of. */
const WORKERS_MS = 5000

export function SystemPage() {
  const service = useStatus()
  const status = service.data
  const [days, setDays] = useKept<UsageDays>('usage-days', '14')
  const usage = useUsage(Number(days))
  const workers = useWorkers({ refetchMs: WORKERS_MS })
  const above = [
    service,
    workers,
    usage,
    useTrustList(),
    useTokens(),
    useLentAccounts(),
    useHosts(),
    useAccount(),
    useNotices(),
  ]
  const isFilled = above.every(({ isPending }) => !isPending)
  return (
    <Page title="System" isBusy={!isFilled}>
      <AccountNote />
      {status && (
        <Panel title="Service">
          <div className="p-4">
            <FactList
              facts={[
                ['Version', status.version],
                ['Runs for', <Ago key="up" at={status.startedAt} suffix="" />],
                ['Process', status.pid],
                ['You are', status.actor],
                ['Stopping', status.isStopping ? 'yes, once the turns have ended' : ''],
                [
                  'Tasks',
                  Object.entries(status.counts?.byStatus ?? {})
                    .map(([name, count]) => `${count} ${name}`)
                    .join(', '),
                ],
              ]}
            />
          </div>
        </Panel>
      )}
      {/* One boundary for all: without the charts, nothing below is where it will be. */}
      <Suspense fallback={null}>
        <WorkersPanel workers={workers.data?.items} readAt={workers.dataUpdatedAt} error={workers.error} />
        <UsagePanel usage={usage.data} error={usage.error} days={days} onChoose={setDays} />
        <TrustPanel />
        <TokensPanel />
        <AccountsPanel />
        <HostsPanel />
        <RateLimits />
        <NoticesPanel />
        <DoctorPanel isPageFilled={isFilled} />
        <AppearancePanel />
      </Suspense>
    </Page>
  )
}
