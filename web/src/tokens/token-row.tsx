import { useState } from 'react'
import type { Token } from '../api/contract.ts'
import { Button } from '../ui/button.tsx'
import { TONES } from '../ui/status-pill.tsx'
import { Ago } from '../ui/time.tsx'
import { RevokeDialog } from './revoke-dialog.tsx'
import { ceilingText, mayText } from './token-text.ts'

const LOOKS: Readonly<Record<Token['state'], readonly [tone: string, text: string]>> = {
  valid: [TONES.good, 'Valid'],
  expired: [TONES.calm, 'Expired'],
  revoked: [TONES.calm, 'Revoked'],
  unreadable: [TONES.wait, 'Of a later version'],
}

export function TokenRow({ token }: { readonly token: Token }) {
  const { name, scope, state, usedAt, expiresAt } = token
  const [isAsked, setAsked] = useState(false)
  const [tone, text] = LOOKS[state] ?? [TONES.calm, state]
  return (
    <li className="grid grid-cols-[1fr_auto] items-center gap-x-4 gap-y-1.5 px-4 py-3 text-sm">
      <div className="flex min-w-0 flex-wrap items-center gap-x-2.5 gap-y-1">
        <span className="min-w-0 font-medium [overflow-wrap:anywhere]">{name}</span>
        <span className={`rounded-md px-1.5 py-0.5 text-xs font-medium ${tone}`}>{text}</span>
      </div>
      <Button size="small" tone="danger" aria-label={`Revoke ${name}`} onClick={() => setAsked(true)}>
        Revoke
      </Button>
      <div className="col-span-2 flex flex-wrap gap-x-4 gap-y-1 text-[13px] text-soft [overflow-wrap:anywhere]">
        {scope && <span>May {mayText(scope)}</span>}
        {scope && <span>At most {ceilingText(scope)}</span>}
        <span>
          {usedAt === null ? (
            'Never used'
          ) : (
            <>
              Used <Ago at={usedAt} />
            </>
          )}
        </span>
        {expiresAt !== null && state === 'valid' && <span>Ends {new Date(expiresAt).toLocaleString()}</span>}
      </div>
      {isAsked && <RevokeDialog token={token} onClose={() => setAsked(false)} />}
    </li>
  )
}
