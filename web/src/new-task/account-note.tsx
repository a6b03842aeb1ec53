import { UserRoundX } from 'lucide-react'
import { useAccount } from '../api/queries.ts'
import { asParams } from '../transcript/params.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { DemoButton } from './demo-button.tsx'

const COMMAND = 'codex login --device-auth'

/** Codex says that it needs a login and has none. Nothing is claimed where it cannot be asked. */
function isLoggedOut(account: unknown): boolean {
  const outer = asParams(account)
  const inner = 'requiresOpenaiAuth' in outer ? outer : asParams(outer.account)
  return inner.requiresOpenaiAuth === true && (inner.account ?? null) === null
}

export function AccountNote({ hasDemo = false }: { readonly hasDemo?: boolean }) {
  const { data } = useAccount()
  if (!isLoggedOut(data)) return null
  return (
    <div className="flex gap-3 rounded-xl bg-wait-wash px-4 py-3 text-sm text-wait">
      <UserRoundX size={18} className="mt-0.5 shrink-0" aria-hidden />
      <div className="flex flex-col items-start gap-2">
        <p>
          Codex has no login on the machine of the service, so tasks will fail at their first turn. Run this
          there and follow what it says:
        </p>
        <div className="flex items-center gap-1 rounded-lg bg-panel py-0.5 pr-1 pl-3 text-ink">
          <code>{COMMAND}</code> <CopyButton text={COMMAND} label="Copy the command" />
        </div>
        {hasDemo && <DemoButton />}
      </div>
    </div>
  )
}
