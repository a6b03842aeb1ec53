import { useMutation, useQueryClient } from '@tanstack/react-query'
import * as calls from '../api/calls.ts'
import type { LentAccount } from '../api/contract.ts'
import { keys } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { TONES } from '../ui/status-pill.tsx'
import { Ago, useNow } from '../ui/time.tsx'
import { AccountWindows } from './account-windows.tsx'

/** One account: its state, its windows, and what a browser may do with it. */
export function AccountRow({ account }: { readonly account: LentAccount }) {
  const { name, state } = account
  const client = useQueryClient()
  const onSettled = () => client.invalidateQueries({ queryKey: keys.lentAccounts })
  const check = useMutation({ mutationFn: () => calls.accounts.check(name), onSettled })
  const change = useMutation({
    mutationFn: (next: 'active' | 'disabled') => calls.accounts.change(name, { state: next }),
    onSettled,
  })
  const isBusy = check.isPending || change.isPending
  const [tone, text] = lookOf(account, useNow())
  return (
    <li className="flex flex-col gap-2 px-4 py-3 text-sm">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-2.5 gap-y-1">
          <span className="min-w-0 font-medium [overflow-wrap:anywhere]">{name}</span>
          <span className={`rounded-md px-1.5 py-0.5 text-xs font-medium ${tone}`}>{text}</span>
        </div>
        <div className="flex gap-2">
          <Button size="small" aria-label={`Check ${name}`} disabled={isBusy} onClick={() => check.mutate()}>
            {check.isPending ? 'Checking…' : 'Check'}
          </Button>
          {state === 'disabled' ? (
            <Button
              size="small"
              aria-label={`Enable ${name}`}
              disabled={isBusy}
              onClick={() => change.mutate('active')}
            >
              Enable
            </Button>
          ) : (
            <Button
              size="small"
              aria-label={`Disable ${name}`}
              disabled={isBusy}
              onClick={() => change.mutate('disabled')}
            >
              Disable
            </Button>
          )}
        </div>
      </div>
      <Facts account={account} />
      <AccountWindows account={account} />
      {check.data && <p className="text-[13px]">{verdictText(check.data)}</p>}
      <ErrorNote error={check.error ?? change.error} />
    </li>
  )
}

function Facts({ account }: { readonly account: LentAccount }) {
  const { kind, pools, facts, state, stateReason, onLimit } = account
  return (
    <div className="flex flex-wrap gap-x-4 gap-y-1 text-[13px] text-soft [overflow-wrap:anywhere]">
      <span>{KINDS[kind] ?? kind}</span>
      {facts?.email && <span>{facts.email}</span>}
      {facts?.plan && <span>Plan {facts.plan}</span>}
      {pools.length > 0 && <span>Pools: {pools.join(', ')}</span>}
      {onLimit === 'switch' && <span>At a limit tasks go on with another of the pool</span>}
      {state !== 'active' && stateReason && <span>{stateReason.message}</span>}
      {state === 'dead' && (
        <span>
          Log in again with <code>drawbridge account add {account.name} --replace</code>
        </span>
      )}
      <span>{facts?.at ? <Checked at={facts.at} /> : 'Never checked'}</span>
    </div>
  )
}

const KINDS: Readonly<Record<LentAccount['kind'], string>> = {
  chatgpt: 'ChatGPT',
  apikey: 'API key',
  'access-token': 'Access token',
}

function lookOf(
  { state, limitedUntil, usedBy }: LentAccount,
  now: number,
): readonly [tone: string, text: string] {
  if (state === 'dead') return [TONES.bad, 'Dead']
  if (state === 'disabled') return [TONES.calm, 'Disabled']
  if (limitedUntil !== null && limitedUntil > now)
    return [TONES.wait, `Limited until ${new Date(limitedUntil).toLocaleString()}`]
  return usedBy && usedBy.until > now ? [TONES.busy, 'In use'] : [TONES.good, 'Free']
}

function verdictText({ verdict, message }: { readonly verdict: string; readonly message: string }): string {
  return `${verdict[0]!.toUpperCase()}${verdict.slice(1)}: ${message}.`
}

function Checked({ at }: { readonly at: number }) {
  return (
    <>
      Checked <Ago at={at} />
    </>
  )
}
