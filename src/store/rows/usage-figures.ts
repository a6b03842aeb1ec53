export interface UsageFigures {
  readonly turns: TurnFigures
  /** Of the turns that ended, their sub-agents' with them. */
  readonly tokens: TokenFigures
  readonly questions: QuestionFigures
  /** How long codex waited for the answers that people gave; null when they gave none. */
  readonly wait: { readonly medianMs: number; readonly maxMs: number } | null
}

interface TurnFigures {
  /** Those that began; the rest is about those that ended. */
  readonly started: number
  readonly completed: number
  /** Also those that took too long, or died with codex. */
  readonly failed: number
  readonly interrupted: number
}

interface TokenFigures {
  readonly input: number
  /** Of the input. */
  readonly cachedInput: number
  readonly output: number
  /** Of the output. */
  readonly reasoningOutput: number
}

interface QuestionFigures {
  /** Those that were asked; the rest is about those that were settled. */
  readonly asked: number
  readonly byRule: number
  readonly byPerson: number
  /** Denied because no answer came in time. */
  readonly byDefault: number
  readonly withdrawn: number
}
