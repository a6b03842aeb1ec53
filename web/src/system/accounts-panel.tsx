import type { LentAccount } from '../api/contract.ts'
import { useLentAccounts } from '../api/queries.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import { Coming, Panel } from '../ui/panel.tsx'
import { TONES } from '../ui/status-pill.tsx'
import { Ago } from '../ui/time.tsx'

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

function AccountRow({ account }: { readonly account: LentAccount }) {
  const { name, kind, pools, facts, stateReason } = account
  const [tone, text] = lookOf(account)
  return (
    <li className="flex flex-col gap-1.5 px-4 py-3 text-sm">
      <div className="flex min-w-0 flex-wrap items-center gap-x-2.5 gap-y-1">
        <span className="min-w-0 font-medium [overflow-wrap:anywhere]">{name}</span>
        <span className={`rounded-md px-1.5 py-0.5 text-xs font-medium ${tone}`}>{text}</span>
      </div>
      <div className="flex flex-wrap gap-x-4 gap-y-1 text-[13px] text-soft [overflow-wrap:anywhere]">
        <span>{KINDS[kind] ?? kind}</span>
        {facts?.email && <span>{facts.email}</span>}
        {facts?.plan && <span>Plan {facts.plan}</span>}
        {pools.length > 0 && <span>Pools: {pools.join(', ')}</span>}
        {stateReason && <span>{stateReason.message}</span>}
        <span>{facts ? <Checked at={facts.at} /> : 'Never checked'}</span>
      </div>
      {facts?.windows.map((window) => (
        <Window key={window.name} name={window.name} usedPercent={window.usedPercent} />
      ))}
    </li>
  )
}

const KINDS: Readonly<Record<LentAccount['kind'], string>> = {
  chatgpt: 'ChatGPT',
  apikey: 'API key',
  'access-token': 'Access token',
}

function lookOf({ state, limitedUntil, usedBy }: LentAccount): readonly [tone: string, text: string] {
  if (state === 'dead') return [TONES.bad, 'Dead']
  if (state === 'disabled') return [TONES.calm, 'Disabled']
  if (limitedUntil !== null && limitedUntil > Date.now())
    return [TONES.wait, `Limited until ${new Date(limitedUntil).toLocaleString()}`]
  return usedBy ? [TONES.busy, 'In use'] : [TONES.good, 'Free']
}

function Checked({ at }: { readonly at: number }) {
  return (
    <>
      Checked <Ago at={at} />
    </>
  )
}

function Window({ name, usedPercent }: { readonly name: string; readonly usedPercent: number }) {
  return (
    <div className="text-[13px]">
      <div className="mb-1 flex justify-between">
        <span>{name}</span>
        <span className="text-soft">{Math.round(usedPercent)} % used</span>
      </div>
      <meter
        aria-label={`${name}: used`}
        className="h-2 w-full"
        min={0}
        max={100}
        high={80}
        value={usedPercent}
      />
    </div>
  )
}
