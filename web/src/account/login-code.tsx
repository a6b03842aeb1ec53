import { ExternalLink } from 'lucide-react'
import type { AccountLogin } from '../api/contract.ts'
import { Button, buttonLook } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy-button.tsx'

interface Props {
  readonly login: Extract<AccountLogin, { status: 'pending' }>
  readonly isCancelling: boolean
  readonly onCancel: () => void
}

/** What somebody has to do elsewhere, and that we wait for it. */
export function LoginCode({ login, isCancelling, onCancel }: Props) {
  const { verificationUrl, userCode, expiresAt } = login
  return (
    <>
      <ol className="flex w-full flex-col gap-4">
        <Step number={1} text="Open this page and log in there.">
          <a
            href={verificationUrl}
            target="_blank"
            rel="noreferrer"
            className={buttonLook({ tone: 'main', className: 'max-w-full' })}
          >
            <ExternalLink size={16} className="shrink-0" aria-hidden />
            <span className="truncate">{withoutScheme(verificationUrl)}</span>
          </a>
        </Step>
        <Step number={2} text="Type in this code. Give it to nobody: whoever has it can log in here.">
          <div className="flex max-w-full items-center gap-1 rounded-lg bg-sunk py-1.5 pr-2 pl-4">
            <code className="text-2xl font-semibold tracking-widest tabular-nums [overflow-wrap:anywhere]">
              {userCode}
            </code>
            <CopyButton text={userCode} label="Copy the code" />
          </div>
        </Step>
      </ol>
      <div className="flex w-full flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <p role="status" className="flex items-center gap-2 text-busy">
          <span aria-hidden className="breathe size-2 shrink-0 rounded-full bg-current" />
          <span>
            Waiting for you, until <span className="whitespace-nowrap">{clockText(expiresAt)}</span>.
          </span>
        </p>
        <Button size="small" disabled={isCancelling} onClick={onCancel}>
          {isCancelling ? 'Cancelling…' : 'Cancel'}
        </Button>
      </div>
    </>
  )
}

interface StepProps {
  readonly number: number
  readonly text: string
  readonly children: React.ReactNode
}

function Step({ number, text, children }: StepProps) {
  return (
    <li className="flex gap-3">
      <span
        aria-hidden
        className="flex size-6 shrink-0 items-center justify-center rounded-full bg-accent-wash text-xs font-semibold text-accent"
      >
        {number}
      </span>
      <div className="flex min-w-0 flex-col items-start gap-2">
        <p className="pt-0.5">{text}</p>
        {children}
      </div>
    </li>
  )
}

function withoutScheme(url: string): string {
  return url.replace(/^https?:\/\//, '')
}

function clockText(at: number): string {
  return new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
}
