import { KeyRound } from 'lucide-react'
import { CopyButton } from '../ui/copy-button.tsx'

const COMMAND = 'drawbridge login-link'

export function LoginPage() {
  return (
    <main className="flex min-h-dvh items-center justify-center p-6">
      <div className="w-full max-w-md rounded-2xl border border-line bg-panel p-7">
        <span className="mb-4 inline-flex size-10 items-center justify-center rounded-xl bg-accent-wash text-accent">
          <KeyRound size={20} aria-hidden />
        </span>
        <h1 className="text-lg font-semibold">This browser is not let in yet</h1>
        <p className="mt-1.5 text-sm text-soft">
          Drawbridge runs programs for you, so it opens only to people who can use its machine. There, make a
          link that works once:
        </p>
        <div className="my-4 flex items-center justify-between gap-2 rounded-lg border border-line bg-sunk py-1.5 pr-1.5 pl-3">
          <code>{COMMAND}</code>
          <CopyButton text={COMMAND} label="Copy the command" />
        </div>
        <p className="text-sm text-soft">
          Open it in this browser within ten minutes. It stays let in for 30 days.
        </p>
      </div>
    </main>
  )
}
