import type { Surroundings } from '../process/index.ts'
import { Terminal } from '../screen/index.ts'
import { askKey } from './ask-key.ts'
import { Keyboard } from './keyboard.ts'

/** A key that was meant for something else must not confirm anything. */
const DEAF_MS = 300

/** Asks the person at the terminal: yes must be typed, every other key is no. */
export function isMeant(question: string, surroundings: Surroundings): Promise<boolean> {
  const { interrupted } = surroundings
  const asking = {
    terminal: new Terminal(surroundings),
    keyboard: new Keyboard(surroundings),
    interrupted,
    deafMs: DEAF_MS,
  }
  return askKey(asking, {
    text: `${question} [y/N] `,
    keys: { y: true },
    otherwise: false,
    interrupted: false,
  })
}
