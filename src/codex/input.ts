import type { protocol } from './protocol/index.ts'

/** What a turn is given: plain text, or codex's own input items (text, images, skills, mentions). */
export type TurnInput = string | readonly protocol.v2.UserInput[]

export function userInput(input: TurnInput): protocol.v2.UserInput[] {
  return typeof input === 'string' ? [{ type: 'text', text: input, text_elements: [] }] : [...input]
}
