import type { ComponentProps } from 'react'
import { Streamdown } from 'streamdown'

/** Remote images would tell their server who reads this, and when; the page forbids them too. */
function SafeImage({ src, alt }: ComponentProps<'img'>) {
  if (typeof src === 'string' && src.startsWith('data:image/'))
    return <img src={src} alt={alt ?? ''} className="max-w-full rounded-lg" />
  return (
    <span
      className="rounded-md bg-sunk px-1.5 py-0.5 text-sm text-soft"
      title={typeof src === 'string' ? src : undefined}
    >
      [image not loaded{alt ? `: ${alt}` : ''}]
    </span>
  )
}

function SafeLink({ href, children }: ComponentProps<'a'>) {
  const isWeb = typeof href === 'string' && /^https?:\/\//.test(href)
  if (!isWeb) return <span title={href}>{children}</span>
  return (
    <a
      href={href}
      target="_blank"
      rel="noopener noreferrer nofollow"
      title={href}
      className="text-accent underline underline-offset-2"
    >
      {children}
    </a>
  )
}

/** One look for every block of code: copied with one press, no colours to fetch. */
const COMPONENTS = { img: SafeImage, a: SafeLink }

export function StreamdownView({ text, isLive }: { readonly text: string; readonly isLive: boolean }) {
  return (
    <Streamdown
      mode={isLive ? 'streaming' : 'static'}
      isAnimating={isLive}
      components={COMPONENTS}
      controls={{ code: { copy: true, download: false }, table: false, mermaid: false }}
      lineNumbers={false}
      className="space-y-3 text-[15px] leading-relaxed [overflow-wrap:anywhere]"
    >
      {text}
    </Streamdown>
  )
}
