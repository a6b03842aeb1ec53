import { useState } from 'react'
import type { Answer } from '../api/contract.ts'
import { Button } from '../ui/button.tsx'
import { type PermissionPart, partialGrant, permissionParts } from './permission-parts.ts'

interface Props {
  readonly permissions: unknown
  readonly isBusy: boolean
  readonly onGrant: (answer: Answer) => void
}

const TEXT = { network: 'Use the network', read: 'Read', write: 'Write' }

/** Grant some of what was asked for. With everything ticked the answers below do the same. */
export function PermissionsForm({ permissions, isBusy, onGrant }: Props) {
  const [parts] = useState(() => permissionParts(permissions))
  const [granted, setGranted] = useState<ReadonlySet<string>>(() => new Set(parts.map(({ id }) => id)))
  const toggle = ({ id }: PermissionPart) => {
    const next = new Set(granted)
    if (!next.delete(id)) next.add(id)
    setGranted(next)
  }
  const chosen = parts.filter(({ id }) => granted.has(id))
  if (parts.length === 0) return null
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="mb-1 text-[13px] text-soft">What it may do</legend>
      {parts.map((part) => (
        <label key={part.id} className="flex items-center gap-2 text-sm">
          <input
            type="checkbox"
            className="size-4 accent-accent"
            checked={granted.has(part.id)}
            onChange={() => toggle(part)}
          />
          {TEXT[part.kind]} {part.path && <code className="[overflow-wrap:anywhere]">{part.path}</code>}
        </label>
      ))}
      {chosen.length > 0 && chosen.length < parts.length && (
        <Button
          size="small"
          className="mt-1 self-start"
          disabled={isBusy}
          onClick={() => onGrant(partialGrant(chosen, 'turn'))}
        >
          Allow only these, until the turn ends
        </Button>
      )}
    </fieldset>
  )
}
