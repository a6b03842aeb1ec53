import type { Answer } from '../../codex/index.ts'
import type { Line } from '../screen/index.ts'

/** One key, as Node names it. */
export interface Key {
  /** What it types; empty for keys that type nothing. */
  readonly text: string
  readonly name: string
  readonly isCtrl: boolean
}

export interface Room {
  readonly columns: number
  readonly rows: number
}

/** What a key did: it gave the answer, or wants something printed for good. Null: at most the lines are different now. */
export type Pressed = { readonly answer: Answer } | { readonly print: readonly Line[] } | null

/** One question on the screen. No input or output of its own: lines out, keys in. */
export interface Prompt {
  /** The question, in at most this many rows. */
  lines(room: Room): Line[]
  /** What can be pressed or typed. Below the question, and last, so that the cursor is where one types. */
  entry(): Line[]
  press(key: Key): Pressed
}
