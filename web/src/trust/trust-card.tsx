import { ShieldAlert } from 'lucide-react'
import type { TrustLook } from '../api/contract.ts'
import { ApiError } from '../api/http.ts'
import { Button } from '../ui/button.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { exactText } from './exact-text.ts'
import { ProjectContents } from './project-contents.tsx'
import { type Place, useTrusting } from './use-trust.ts'

interface Props {
  readonly place: Place
  readonly seen: TrustLook
  readonly onKeep: () => void
}

/** What trust would start, what it changes, and the decision. What is pressed trusts exactly what is shown. */
export function TrustCard({ place, seen, onKeep }: Props) {
  const trusting = useTrusting(place)
  const { look, trust } = seen
  const isHidden = look.layers.some(({ problem }) => problem !== null)
  const isOther = trusting.error instanceof ApiError && trusting.error.code === 'trust-changed'
  return (
    <section
      aria-label="Trust this folder?"
      className="flex min-w-0 flex-col gap-3 rounded-xl border border-line bg-panel p-4"
    >
      <h3 className="flex items-start gap-2 text-sm font-semibold">
        <ShieldAlert size={17} className="mt-0.5 shrink-0 text-wait" aria-hidden />
        {trust.hasChanged ? 'This folder has changed since you trusted it' : 'Untrusted folder'}
      </h3>
      <p className="text-[13px]">
        <code className="[overflow-wrap:anywhere]">{exactText(look.root)}</code>
        {look.root !== look.folder && <span className="text-soft"> · trust counts for all of it</span>}
      </p>
      {look.layers.length > 0 && <p className="text-[13px] font-medium">Trust starts and applies this:</p>}
      <ProjectContents look={look} />
      <dl className="grid gap-x-4 gap-y-1 text-[13px] sm:grid-cols-[auto_1fr]">
        <dt className="text-soft">Once trusted</dt>
        <dd>
          Codex works here in its usual sandbox. A command you approve can use the network and every file you
          can.
        </dd>
        <dt className="text-soft">Until then</dt>
        <dd>A tight sandbox: commands cannot read logins, and nothing the project names is started.</dd>
        <dt className="text-soft">Either way</dt>
        <dd>Keys and tokens stay out of the environment of commands. Your rules decide what runs unasked.</dd>
      </dl>
      {isOther ? (
        <p role="alert" className="rounded-lg bg-wait-wash px-3 py-2 text-[13px] text-wait">
          Nothing was trusted: it changed while you were reading. This is how it is now.
        </p>
      ) : (
        <ErrorNote error={trusting.error} />
      )}
      <div className="flex flex-wrap gap-2">
        <Button disabled={trusting.isPending || isHidden} onClick={() => trusting.mutate(look.digest)}>
          Trust this folder
        </Button>
        <Button tone="quiet" onClick={onKeep}>
          Keep it untrusted
        </Button>
      </div>
    </section>
  )
}
