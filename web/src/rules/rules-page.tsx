import { Page } from '../ui/panel.tsx'
import { AuditPanel } from './audit-panel.tsx'
import { CheckPanel } from './check-panel.tsx'
import { RulesPanel } from './rules-panel.tsx'

export function RulesPage() {
  return (
    <Page title="Rules & audit">
      <p className="-mt-2 text-sm text-soft">
        A rule is a stored answer. Standing rules answer for every task, before anybody is asked; each
        decision, whoever made it, is in the audit.
      </p>
      <RulesPanel />
      <CheckPanel />
      <AuditPanel />
    </Page>
  )
}
