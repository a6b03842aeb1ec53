import { UserRoundX } from 'lucide-react'
import { useAccount } from '../api/queries.ts'
import { asParams } from '../transcript/params.ts'
import { CopyButton } from '../ui/copy-button.tsx'

/** Codex says that it needs a login and has none. Nothing is claimed where it cannot be asked. */
export function isLoggedOut(account: unknown): boolean {
  const outer = asParams(account)
  const inner = 'requiresOpenaiAuth' in outer ? outer : asParams(outer.account)
  return inner.requiresOpenaiAuth === true && (inner.account ?? null) === null
}

export function AccountNote() {
  const { data } = useAccount()
  if (!isLoggedOut(data)) return null
  return (
    <div className="flex gap-3 rounded-xl bg-wait-wash px-4 py-3 text-sm text-wait">
      <UserRoundX size={18} className="mt-0.5 shrink-0" aria-hidden />
      <p>
        Codex has no login on this machine, so tasks will fail at their first turn. There, run{' '}
        <code>codex login --device-auth</code>{' '}
        <CopyButton text="codex login --device-auth" label="Copy the command" /> and follow what it says. The
        demo needs none.
      </p>
    </div>
  )
}
