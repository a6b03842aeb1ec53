import type { Surroundings } from '../process/index.ts'
import type { Terminal } from '../screen/index.ts'
import { Keyboard } from './keyboard.ts'
import { Person } from './person.ts'

/** A key that was meant for something else must not answer a question that just came up. */
const DEAF_MS = 300

/** null where nobody can both read the question and press a key. */
export function personAt(terminal: Terminal, surroundings: Surroundings): Person | null {
  const { stdin, stderr, interrupted } = surroundings
  if (!stdin.isTTY || !stderr.isTTY) return null
  const keyboard = new Keyboard(surroundings)
  const person = new Person({ terminal, keyboard, interrupted, deafMs: DEAF_MS })
  stderr.on('resize', () => person.redraw())
  return person
}
