import { spawn } from 'node:child_process'
import type { OutgoingNotice } from '../../tasks/index.ts'

const MAX_TEXT = 300

/** Tells whoever sits at this machine, where its desktop takes such things. Never fails: it is in the log as well. */
export function desktopNotice({ title, text }: OutgoingNotice, env: NodeJS.ProcessEnv): void {
  if (process.platform !== 'linux' || !(env.DISPLAY || env.WAYLAND_DISPLAY)) return
  const args = ['--app-name=Drawbridge', '--', title, text.slice(0, MAX_TEXT)]
  const child = spawn('notify-send', args, { detached: true, stdio: 'ignore' })
  child.on('error', () => {})
  child.unref()
}
