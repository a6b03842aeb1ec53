import { TONES } from '../ui/status-pill.tsx'
import { type Place, useTrustLook } from './use-trust.ts'

/** Only where it matters: a trusted folder needs no word. */
export function TrustBadge({ place: { cwd, codexHome } }: { readonly place: Place }) {
  const { data } = useTrustLook({ cwd, codexHome })
  if (data?.trust.state !== 'untrusted') return null
  return (
    <span
      className={`inline-flex shrink-0 items-center rounded-full px-2.5 py-0.5 text-xs font-medium ${TONES.calm}`}
      title="Commands cannot read logins, and nothing the project names is started."
    >
      {data.trust.hasChanged ? 'Folder changed' : 'Untrusted folder'}
    </span>
  )
}
