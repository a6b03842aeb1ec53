import { LogIn, UserRoundX } from 'lucide-react'
import { useRef } from 'react'
import { ApiError } from '../api/http.ts'
import { DemoButton } from '../new-task/demo-button.tsx'
import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { KeyForm } from './key-form.tsx'
import { LoginCode } from './login-code.tsx'
import { useLogin } from './use-login.ts'

const COMMAND = 'drawbridge login --key'

interface Props {
  readonly hasDemo: boolean
  /** The account is being asked for. */
  readonly isLooking: boolean
  readonly problem: unknown
}

/** Nobody is logged in: how to change that, from the button to the end. */
export function LoginCard({ hasDemo, isLooking, problem }: Props) {
  const { login, failure, keep, start, cancel } = useLogin()
  const card = useRef<HTMLElement>(null)
  // What was pressed is gone with the change: whoever uses a keyboard goes on from here.
  const stay = () => card.current?.focus()
  const isDone = login.status === 'succeeded' && isLooking
  const failed = failure && `Nobody was logged in: ${failure}`
  const isImpossible = start.error instanceof ApiError && start.error.status === 501
  return (
    <section
      ref={card}
      tabIndex={-1}
      aria-label="Login of Codex"
      className="overflow-hidden rounded-xl border border-line bg-panel text-sm outline-none"
    >
      <div className="flex gap-3 bg-wait-wash px-4 py-3 text-wait">
        <UserRoundX size={18} className="mt-0.5 shrink-0" aria-hidden />
        <p>
          <strong className="font-semibold">Not logged in to OpenAI.</strong> Log in to run tasks
          {hasDemo && ', or try the demo'}.
        </p>
      </div>
      <div className="flex flex-col items-start gap-3 p-4">
        {login.status === 'pending' ? (
          <LoginCode
            login={login}
            isCancelling={cancel.isPending}
            onCancel={() => cancel.mutate(login.loginId, { onSettled: stay })}
          />
        ) : (
          <>
            <div className="max-w-full empty:hidden">
              <ErrorNote error={start.error ?? failed ?? problem} />
            </div>
            {isImpossible && <Command />}
            <div className="flex flex-wrap items-center gap-2 empty:hidden">
              {!isImpossible && (
                <Button
                  tone="main"
                  disabled={start.isPending || isDone}
                  onClick={() => start.mutate(undefined, { onSettled: stay })}
                >
                  <LogIn size={16} aria-hidden /> {labelOf({ isDone, ...start, hasFailed: failed !== null })}
                </Button>
              )}
              {hasDemo && <DemoButton tone="plain" />}
            </div>
          </>
        )}
      </div>
      <details className="border-t border-line px-4 py-3">
        <summary className="text-[13px] text-soft">Use an API key instead</summary>
        <KeyForm onDone={keep} />
      </details>
    </section>
  )
}

interface Labelled {
  readonly isDone: boolean
  readonly isPending: boolean
  readonly isError: boolean
  readonly hasFailed: boolean
}

function labelOf({ isDone, isPending, isError, hasFailed }: Labelled): string {
  if (isDone) return 'Logged in…'
  if (isPending) return 'Asking for a code…'
  return isError || hasFailed ? 'Try again' : 'Log in with ChatGPT'
}

function Command() {
  return (
    <div className="flex flex-col items-start gap-1">
      <p className="text-soft">It may still be possible on the machine of the service, in a shell:</p>
      <div className="flex items-center gap-1 rounded-lg bg-sunk py-0.5 pr-1 pl-3">
        <code>{COMMAND}</code> <CopyButton text={COMMAND} label="Copy the command" />
      </div>
    </div>
  )
}
