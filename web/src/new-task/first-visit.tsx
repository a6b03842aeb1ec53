import { Inbox, ListChecks, ShieldCheck } from 'lucide-react'
import { Link } from 'wouter'
import { AccountNote } from '../account/account-note.tsx'
import { DemoButton } from './demo-button.tsx'

const STEPS = [
  {
    icon: ListChecks,
    title: 'You give Codex a task',
    text: 'It runs in the service, on this machine. Close the page; it goes on.',
  },
  {
    icon: ShieldCheck,
    title: 'It works inside a sandbox',
    text: 'What it may not do by itself it has to ask for. Nothing is allowed by silence.',
  },
  {
    icon: Inbox,
    title: 'You answer in the inbox',
    text: 'Once, for the thread, or always, with a rule you can read and revoke.',
  },
] as const

/** Nobody has started a task yet: what this is, and how to see it work. */
export function FirstVisit() {
  return (
    <div className="scroll-thin h-full overflow-y-auto">
      <div className="mx-auto flex max-w-3xl flex-col gap-7 px-5 py-8 sm:py-12">
        <header className="text-center">
          <img src="/favicon.svg" alt="" width={48} height={48} className="mx-auto mb-3 sm:mb-4" />
          <h1 className="text-2xl font-semibold tracking-tight">Codex works. You keep the gate.</h1>
          <p className="mx-auto mt-2 max-w-xl text-soft">
            Drawbridge runs Codex tasks for you and your team, shows what they do while they do it, and asks
            before anything leaves the sandbox.
          </p>
        </header>
        <div className="flex flex-col items-center gap-3 text-center">
          <DemoButton />
          <p className="max-w-md text-[13px] text-soft">
            A minute, no account: the real Codex on a scripted model finds a bug in a sample repository, and
            asks you before it changes a file and before it commits.
          </p>
          <Link href="/new" className="text-sm text-accent underline underline-offset-2">
            or start a task of your own
          </Link>
        </div>
        <ol className="grid gap-3 sm:grid-cols-3">
          {STEPS.map(({ icon: Icon, title, text }) => (
            <li key={title} className="rounded-xl border border-line bg-panel p-4">
              <Icon size={20} className="mb-2 text-accent" aria-hidden />
              <h2 className="text-sm font-semibold">{title}</h2>
              <p className="mt-1 text-[13px] text-soft">{text}</p>
            </li>
          ))}
        </ol>
        <AccountNote />
      </div>
    </div>
  )
}
