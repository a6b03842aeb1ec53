import { Inbox, ListChecks, type LucideIcon, Plus, ScrollText, Server } from 'lucide-react'
import { Link, useLocation } from 'wouter'
import { classNames } from '../ui/class-names.ts'

interface Place {
  readonly to: string
  readonly text: string
  /** Where there is little room. */
  readonly short: string
  readonly icon: LucideIcon
}

const PLACES: readonly Place[] = [
  { to: '/inbox', text: 'Inbox', short: 'Inbox', icon: Inbox },
  { to: '/tasks', text: 'Tasks', short: 'Tasks', icon: ListChecks },
  { to: '/new', text: 'New task', short: 'New', icon: Plus },
  { to: '/rules', text: 'Rules & audit', short: 'Rules', icon: ScrollText },
  { to: '/system', text: 'System', short: 'System', icon: Server },
]

export function Nav({ openQuestions }: { readonly openQuestions: number }) {
  const [location] = useLocation()
  return (
    <nav aria-label="Main" className="flex md:flex-col md:gap-0.5">
      {PLACES.map(({ to, text, short, icon: Icon }) => {
        const isHere = location === to || location.startsWith(`${to}/`)
        const count = to === '/inbox' ? openQuestions : 0
        return (
          <Link
            key={to}
            href={to}
            aria-current={isHere ? 'page' : undefined}
            className={classNames(
              'relative flex flex-1 flex-col items-center gap-0.5 px-2 py-2 text-[11px] font-medium',
              'md:flex-none md:flex-row md:gap-2.5 md:rounded-lg md:px-3 md:py-2 md:text-sm',
              isHere ? 'text-accent md:bg-accent-wash' : 'text-soft hover:text-ink md:hover:bg-sunk',
            )}
          >
            <Icon size={18} aria-hidden />
            <span className="md:hidden">{short}</span>
            <span className="hidden md:inline">{text}</span>
            {count > 0 && <Count count={count} />}
          </Link>
        )
      })}
    </nav>
  )
}

function Count({ count }: { readonly count: number }) {
  return (
    <span className="absolute top-1 left-1/2 ml-1.5 min-w-5 rounded-full bg-wait-wash px-1.5 text-center text-xs font-semibold text-wait tabular-nums md:static md:ml-auto">
      <span className="sr-only">, open questions: </span>
      {count}
    </span>
  )
}
