import { WifiOff } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useConnection } from '../api/connection.ts'
import { Ago } from '../ui/time.tsx'

/** A short loss is nobody's business. */
const PATIENCE_MS = 1500

export function ConnectionBanner() {
  const { state, liveAt } = useConnection()
  const [isShown, setShown] = useState(false)
  const isLive = state === 'live'
  useEffect(() => {
    if (isLive) return setShown(false)
    const timer = setTimeout(() => setShown(true), PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [isLive])
  if (!isShown) return null
  return (
    <div
      role="status"
      className="flex items-center justify-center gap-2 bg-wait-wash px-4 py-1.5 text-sm text-wait"
    >
      <WifiOff size={15} aria-hidden />
      <span>
        The service cannot be reached; trying again.{' '}
        {liveAt !== null && (
          <>
            What you see is from <Ago at={liveAt} />.
          </>
        )}
      </span>
    </div>
  )
}
