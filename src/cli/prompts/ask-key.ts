// A question of ours that one key answers.
import type { Terminal } from '../screen/index.ts'
import type { Keyboard } from './keyboard.ts'

export interface Asking {
  readonly terminal: Terminal
  readonly keyboard: Pick<Keyboard, 'listen' | 'release'>
  /** When it aborts, the answer is the careful one. */
  readonly interrupted: AbortSignal
  /** How long the question takes no keys: those were meant for something else. */
  readonly deafMs: number
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
  { terminal, keyboard, interrupted, deafMs }: Asking,
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
