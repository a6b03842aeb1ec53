// Asks the person at the terminal whether to trust a folder. The card stands above, whole; one key answers.
import type { FolderTrust, ProjectLook } from '../../config/index.ts'
import type { Keyboard } from '../prompts/keyboard.ts'
import type { Terminal } from '../screen/terminal.ts'
import { trustCardLines, whyNotTrustable } from './trust-card.ts'

export interface TrustAsking {
  readonly terminal: Terminal
  readonly keyboard: Pick<Keyboard, 'listen' | 'release'>
  /** When it aborts, the answer is the careful one. */
  readonly interrupted: AbortSignal
  /** How long the question takes no keys: those were meant for something else. */
  readonly deafMs: number
}

export type TrustChoice = 'trust' | 'untrusted' | 'quit'

/** Before a run: trust it, go on without trust, or stop. What cannot be shown whole cannot be trusted. */
export function askTrust(look: ProjectLook, trust: FolderTrust, asking: TrustAsking): Promise<TrustChoice> {
  showCard(look, trust, asking.terminal)
  const canTrust = whyNotTrustable(look) === null
  return askKey(asking, {
    text: `${canTrust ? '[t] trust  ' : ''}[u] go on untrusted  [q] quit `,
    keys: { ...(canTrust && { t: 'trust' as const }), u: 'untrusted', q: 'quit' },
    interrupted: 'quit',
  })
}

/** For `drawbridge trust`: yes must be typed; every other key is no. */
export async function confirmTrust(
  look: ProjectLook,
  trust: FolderTrust,
  asking: TrustAsking,
): Promise<boolean> {
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

interface KeyQuestion<T> {
  readonly text: string
  readonly keys: Readonly<Record<string, T>>
  /** What any other key means; without it such keys do nothing. */
  readonly otherwise?: T
  readonly interrupted: T
}

/** One key answers. */
export function askKey<T>(
  { terminal, keyboard, interrupted, deafMs }: TrustAsking,
  question: KeyQuestion<T>,
): Promise<T> {
  return new Promise((resolve) => {
    let isDeaf = true
    const timer = setTimeout(() => {
      isDeaf = false
      terminal.panel([{ text: question.text, style: 'bold' }])
    }, deafMs)
    const end = (answer: T) => {
      clearTimeout(timer)
      interrupted.removeEventListener('abort', leave)
      keyboard.release()
      terminal.panel(null)
      resolve(answer)
    }
    const leave = () => end(question.interrupted)
    if (interrupted.aborted) return leave()
    interrupted.addEventListener('abort', leave, { once: true })
    terminal.panel([{ text: '…' }])
    keyboard.listen(({ text, name }) => {
      if (isDeaf || (text === '' && name === '')) return
      if (Object.hasOwn(question.keys, text)) end(question.keys[text]!)
      else if (question.otherwise !== undefined) end(question.otherwise)
    })
  })
}
