import { ShieldCheck, ShieldQuestion } from 'lucide-react'
import { useState } from 'react'
import { ApiError } from '../api/http.ts'
import { Button } from '../ui/button.tsx'
import { TrustCard } from './trust-card.tsx'
import { type Place, useSettled, useTrustLook } from './use-trust.ts'

const TYPING_MS = 400

interface Props extends Place {
  /** One line until somebody opens it, whatever the folder names. */
  readonly isFolded?: boolean
  /** The folder may be on another machine. */
  readonly hasFleet?: boolean
}

/** Also while a path is being typed. */
const isNoFolder = (error: Error) => error instanceof ApiError && error.status === 400

/** Below a folder: whether it is trusted; for one that names something, the card until somebody has decided. */
export function FolderTrust({ cwd, codexHome, isFolded = false, hasFleet = false }: Props) {
  const place = { cwd: useSettled(cwd, TYPING_MS), codexHome }
  const { data: seen, error, refetch } = useTrustLook(place)
  /** The digest of what was decided to stay untrusted, or to be looked at. */
  const [kept, setKept] = useState<string | null>(null)
  const [opened, setOpened] = useState<string | null>(null)
  if (place.cwd !== cwd) return null
  if (!seen && error && isNoFolder(error))
    return (
      <p className="text-xs text-soft">
        {hasFleet
          ? 'Not on the machine that serves this page: the task runs on a worker that has it.'
          : 'There is no such folder.'}
      </p>
    )
  if (!seen && error)
    return (
      <p role="alert" className="flex flex-wrap items-center gap-x-1.5 text-xs text-soft">
        <ShieldQuestion size={14} className="shrink-0 text-wait" aria-hidden />
        <span>Cannot see whether this folder is trusted: {error.message}</span>
        <Button size="small" tone="quiet" className="px-1! underline" onClick={() => refetch()}>
          Look again
        </Button>
      </p>
    )
  if (!seen) return null
  const { look, trust } = seen
  if (trust.state === 'trusted')
    return (
      <p className="flex items-center gap-1.5 text-xs text-soft">
        <ShieldCheck size={14} className="shrink-0" aria-hidden />
        Trusted folder{trust.by === 'codex' && ', by Codex’s own config.toml'}
      </p>
    )
  const isOpen = opened === look.digest || (!isFolded && look.layers.length > 0 && kept !== look.digest)
  if (isOpen)
    return (
      <TrustCard
        place={place}
        seen={seen}
        onKeep={() => {
          setKept(look.digest)
          setOpened(null)
        }}
      />
    )
  return (
    <p className="flex flex-wrap items-center gap-x-1.5 text-xs text-soft">
      <ShieldQuestion size={14} className="shrink-0 text-wait" aria-hidden />
      <span>
        {trust.hasChanged ? 'Changed since it was trusted' : 'Untrusted folder'} · Codex works in a tight
        sandbox ·
      </span>
      <Button size="small" tone="quiet" className="px-1! underline" onClick={() => setOpened(look.digest)}>
        Trust…
      </Button>
    </p>
  )
}
