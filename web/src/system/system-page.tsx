import { lazy, Suspense } from 'react'
import { AccountNote } from '../account/account-note.tsx'
import { useStatus } from '../api/queries.ts'
import { FactList } from '../task/side/fact-list.tsx'
import { RateLimits } from '../task/side/rate-limits.tsx'
import { TrustPanel } from '../trust/trust-panel.tsx'
import { Page, Panel } from '../ui/panel.tsx'
import { Ago } from '../ui/time.tsx'
import { AppearancePanel } from './appearance-panel.tsx'
import { DoctorPanel } from './doctor-panel.tsx'
import { HostsPanel } from './hosts-panel.tsx'
import { NoticesPanel } from './notices-panel.tsx'

const UsagePanel = lazy(() => import('./usage-panel.tsx').then((room) => ({ default: room.UsagePanel })))

export function SystemPage() {
  const { data: status } = useStatus()
  return (
    <Page title="System">
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
                  Object.entries(status.counts.byStatus)
                    .map(([name, count]) => `${count} ${name}`)
                    .join(', '),
                ],
              ]}
            />
          </div>
        </Panel>
      )}
      <Suspense fallback={null}>
        <UsagePanel />
      </Suspense>
      <TrustPanel />
      <HostsPanel />
      <RateLimits />
      <NoticesPanel />
      <DoctorPanel />
      <AppearancePanel />
    </Page>
  )
}
