// What a turn of the soak asks the model to do, as the text of its input: the model has no other way to know.

export type Deed = 'say' | 'stream' | 'command' | 'sleep' | 'hang' | 'http-error' | 'cut'

export interface Prompt {
  /** Unlike that of every other input of the run, so that an answer can be told from another's. */
  readonly id: string
  readonly does: Deed
  /** For `stream`: how many deltas, and how long the model waits before each. */
  readonly deltas?: number
  readonly delayMs?: number
}

export function promptText(prompt: Prompt): string {
  return JSON.stringify(prompt)
}

export function readPrompt(text: string): Prompt {
  return JSON.parse(text) as Prompt
}

/** The deltas of the answer to this prompt. */
export function answerDeltas({ id, does, deltas = 1 }: Prompt): readonly string[] {
  return does === 'stream'
    ? Array.from({ length: deltas }, (_, index) => `${id}.${index} `)
    : [`answer ${id}`]
}

export function answerText(prompt: Prompt): string {
  return answerDeltas(prompt).join('')
}
