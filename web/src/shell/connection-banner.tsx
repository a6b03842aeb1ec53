import { DatabaseZap, type LucideIcon, WifiOff } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { useConnection } from '../api/connection.ts'
import { Ago } from '../ui/time.tsx'

/** A short loss is nobody's business. */
const PATIENCE_MS = 1500

/** Above every page while what it shows may be old. */
export function ConnectionBanner() {
  const { state, liveAt, isDatabaseAway } = useConnection()
  const isLost = useLasting(state !== 'live')
  const isAway = useLasting(isDatabaseAway)
  // A service without its database refuses streams, and is there.
  if (isAway)
    return (
      <Banner icon={DatabaseZap}>
        The database does not answer. Tasks keep running; this page updates when it is back.
      </Banner>
    )
  if (isLost && !isDatabaseAway)
    return (
      <Banner icon={WifiOff}>
        The service cannot be reached; trying again.{' '}
        {liveAt !== null && (
          <>
            What you see is from <Ago at={liveAt} />.
          </>
        )}
      </Banner>
    )
  return null
}

/** True once it has been so for a while. */
function useLasting(isSo: boolean): boolean {
  const [isLasting, setLasting] = useState(false)
  useEffect(() => {
    if (!isSo) return setLasting(false)
    const timer = setTimeout(() => setLasting(true), PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [isSo])
  return isLasting
}

function Banner({ icon: Icon, children }: { readonly icon: LucideIcon; readonly children: ReactNode }) {
  return (
    <div
      role="status"
      className="flex items-center justify-center gap-2 bg-wait-wash px-4 py-1.5 text-sm text-wait"
    >
      <Icon size={15} className="shrink-0" aria-hidden />
      <span>{children}</span>
    </div>
  )
}
