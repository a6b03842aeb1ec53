import { useLentAccounts } from '../api/queries.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import { Coming, Panel } from '../ui/panel.tsx'
import { AccountRow } from './account-row.tsx'

/** The accounts that tasks borrow: never their logins. */
export function AccountsPanel() {
  const { data, error } = useLentAccounts()
  return (
    <Panel title="Accounts for tasks">
      <ErrorNote error={error} />
      {!data && !error && <Coming />}
      {data?.items.length === 0 && (
        <p className="px-4 py-3 text-[13px] text-soft">
          Tasks use the login of Codex. Keep further ones with <code>drawbridge account add</code>.
        </p>
      )}
      <ul aria-label="Accounts for tasks" className="divide-y divide-line">
        {data?.items.map((account) => (
          <AccountRow key={account.id} account={account} />
        ))}
      </ul>
    </Panel>
  )
}
