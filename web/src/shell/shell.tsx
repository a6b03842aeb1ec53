import { CircleHelp, Moon, Sun } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useOpenApprovals } from '../api/queries.ts'
import { useAttention } from './attention.ts'
import { ConnectionBanner } from './connection-banner.tsx'
import { Help } from './help.tsx'
import { listenForKeys, useKeys } from './keys.ts'
import { Nav } from './nav.tsx'
import { chooseTheme, currentTheme } from './theme.ts'

export function Shell({ children }: { readonly children: ReactNode }) {
  const [, go] = useLocation()
  const [isHelpOpen, setHelpOpen] = useState(false)
  const { data } = useOpenApprovals()
  const open = data?.filter(({ status }) => status === 'pending')
  useAttention(open)
  useEffect(listenForKeys, [])
  useKeys({
    'g i': () => go('/inbox'),
    'g t': () => go('/tasks'),
    'g n': () => go('/new'),
    'g r': () => go('/rules'),
    'g s': () => go('/system'),
    '?': () => setHelpOpen(true),
  })
  return (
    <div className="flex h-dvh flex-col md:flex-row">
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:bg-panel focus:p-2"
      >
        Skip to content
      </a>
      <aside className="hidden w-56 shrink-0 flex-col border-r border-line bg-panel p-3 md:flex">
        <Link
          href="/inbox"
          className="mb-4 flex items-center gap-2.5 px-2 pt-1.5 font-semibold tracking-tight"
        >
          <img src="/favicon.svg" alt="" width={24} height={24} />
          Drawbridge
        </Link>
        <Nav openQuestions={open?.length ?? 0} />
        <div className="mt-auto flex gap-1">
          <ThemeButton />
          <HelpButton onClick={() => setHelpOpen(true)} />
        </div>
      </aside>
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">
        <ConnectionBanner />
        <main id="main" tabIndex={-1} className="min-h-0 flex-1 outline-none">
          {children}
        </main>
      </div>
      <div className="border-t border-line bg-panel pb-[env(safe-area-inset-bottom)] md:hidden">
        <Nav openQuestions={open?.length ?? 0} />
      </div>
      <Help isOpen={isHelpOpen} onClose={() => setHelpOpen(false)} />
    </div>
  )
}

const SMALL =
  'inline-flex size-9 items-center justify-center rounded-lg text-soft hover:bg-sunk hover:text-ink'

export function ThemeButton() {
  const [theme, setTheme] = useState(currentTheme)
  const other = theme === 'dark' ? 'light' : 'dark'
  const change = () => {
    chooseTheme(other)
    setTheme(other)
  }
  return (
    <button
      type="button"
      className={SMALL}
      onClick={change}
      aria-label={`Use the ${other} theme`}
      title={`Use the ${other} theme`}
    >
      {theme === 'dark' ? <Sun size={17} /> : <Moon size={17} />}
    </button>
  )
}

function HelpButton({ onClick }: { readonly onClick: () => void }) {
  return (
    <button
      type="button"
      className={SMALL}
      onClick={onClick}
      aria-label="Keys and words"
      title="Keys and words (?)"
    >
      <CircleHelp size={17} />
    </button>
  )
}
