// Asks the person at the terminal whether to trust a folder. The card stands above, whole; one key answers.
import type { FolderTrust, ProjectLook } from '../../config/index.ts'
import { type Asking, askKey } from '../prompts/index.ts'
import type { Terminal } from '../screen/index.ts'
import { trustCardLines, whyNotTrustable } from './trust-card.ts'

export type TrustChoice = 'trust' | 'untrusted' | 'quit'

/** Before a run: trust it, go on without trust, or stop. What cannot be shown whole cannot be trusted. */
export function askTrust(look: ProjectLook, trust: FolderTrust, asking: Asking): Promise<TrustChoice> {
  showCard(look, trust, asking.terminal)
  const canTrust = whyNotTrustable(look) === null
  return askKey(asking, {
    text: `${canTrust ? '[t] trust  ' : ''}[u] go on untrusted  [q] quit `,
    keys: { ...(canTrust && { t: 'trust' as const }), u: 'untrusted', q: 'quit' },
    interrupted: 'quit',
  })
}

/** For `drawbridge trust`: yes must be typed; every other key is no. */
export async function confirmTrust(look: ProjectLook, trust: FolderTrust, asking: Asking): Promise<boolean> {
  showCard(look, trust, asking.terminal)
  const answer = await askKey(asking, {
    text: 'Trust this folder? [y/N] ',
    keys: { y: true },
    otherwise: false,
    interrupted: false,
  })
  return answer
}

function showCard(look: ProjectLook, trust: FolderTrust, terminal: Terminal): void {
  for (const line of trustCardLines(look, trust)) terminal.line(line)
  terminal.line('')
}
