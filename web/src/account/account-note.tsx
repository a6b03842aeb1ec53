import { CircleCheck } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useAccount } from '../api/queries.ts'
import { isLoggedOut, nameOf } from './account-facts.ts'
import { LoginCard } from './login-card.tsx'

const SAID_MS = 8000

/** There while codex has no login; says so when it has one, and goes. */
export function AccountNote({ hasDemo = false }: { readonly hasDemo?: boolean }) {
  const { data: account, isFetching, error } = useAccount()
  const [wasOut, setWasOut] = useState(false)
  const isOut = isLoggedOut(account)
  if (isOut && !wasOut) setWasOut(true)
  if (isOut) return <LoginCard hasDemo={hasDemo} isLooking={isFetching} problem={error} />
  return wasOut ? <Done name={nameOf(account)} onSaid={() => setWasOut(false)} /> : null
}

function Done({ name, onSaid }: { readonly name: string; readonly onSaid: () => void }) {
  useEffect(() => {
    const timer = setTimeout(onSaid, SAID_MS)
    return () => clearTimeout(timer)
  }, [onSaid])
  return (
    <div role="status" className="flex gap-3 rounded-xl bg-good-wash px-4 py-3 text-sm text-good">
      <CircleCheck size={18} className="mt-0.5 shrink-0" aria-hidden />
      <p className="min-w-0 [overflow-wrap:anywhere]">Codex is logged in{name}. Tasks can run.</p>
    </div>
  )
}
