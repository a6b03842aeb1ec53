import { useTokens } from '../api/queries.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import { Coming, Panel } from '../ui/panel.tsx'
import { TokenRow } from './token-row.tsx'

/** Named tokens that count, and those that have expired. Revoked ones are in the audit. */
export function TokensPanel() {
  const { data, error } = useTokens()
  const tokens = data?.items.filter(({ state }) => state !== 'revoked')
  return (
    <Panel title="Tokens">
      <ErrorNote error={error} />
      {!data && !error && <Coming />}
      {tokens?.length === 0 && (
        <p className="px-4 py-3 text-[13px] text-soft">
          No program or agent has a token of its own. Make one with <code>drawbridge token add</code>.
        </p>
      )}
      <ul aria-label="Tokens" className="divide-y divide-line">
        {tokens?.map((token) => (
          <TokenRow key={token.id} token={token} />
        ))}
      </ul>
    </Panel>
  )
}
