// What tells somebody who looks elsewhere that a question waits: the tab's title, its badge, and a notification if wanted.
import { useEffect, useRef } from 'react'
import type { Approval } from '../api/contract.ts'
import { readKept } from '../ui/kept-value.ts'
import { countInTitle } from './page-title.ts'

export const NOTIFY_KEY = 'notify'

export function useAttention(open: readonly Approval[] | undefined): void {
  const known = useRef<ReadonlySet<string> | null>(null)
  useEffect(() => {
    if (!open) return
    countInTitle(open.length)
    void navigator.setAppBadge?.(open.length).catch(() => {})
    const fresh = known.current === null ? [] : open.filter(({ id }) => !known.current?.has(id))
    known.current = new Set(open.map(({ id }) => id))
    if (document.visibilityState === 'hidden') for (const approval of fresh) notify(approval)
  }, [open])
}

/** The browser asks the person; nothing is sent anywhere. */
export async function wantNotifications(): Promise<boolean> {
  return 'Notification' in window && (await Notification.requestPermission()) === 'granted'
}

function notify({ id, question }: Approval): void {
  if (!readKept(NOTIFY_KEY, false) || !('Notification' in window) || Notification.permission !== 'granted')
    return
  const notification = new Notification('Codex asks', { body: question.title, tag: id, icon: '/favicon.svg' })
  notification.onclick = () => {
    focus()
    location.assign(`/inbox#${id}`)
  }
}
