import type { Choice, Question } from '../../codex/index.ts'
import type { Line } from '../terminal.ts'
import { choiceEffect } from './choice-effect.ts'
import { fittingRows } from './fitting-rows.ts'
import type { Key, Pressed, Prompt, Room } from './prompt.ts'
import { type QuestionLines, questionLines } from './question-lines.ts'

/** The least a diff or a command may shrink to on a small screen. */
const MIN_BODY_ROWS = 3

/** Answers with one of the question's own choices, each by the first letter of its word. */
export class ChoicePrompt implements Prompt {
  readonly #question: Question
  readonly #lines: QuestionLines
  readonly #otherKeys: readonly string[]
  #isExplaining = false
  #isCut = false

  /** `otherKeys` are shown with its own; whoever gives them presses them. */
  constructor(question: Question, otherKeys: readonly string[] = []) {
    this.#question = question
    this.#otherKeys = otherKeys
    this.#lines = questionLines(question)
  }

  lines({ columns, rows }: Room): Line[] {
    const { head, body } = this.#lines
    const explained = this.#isExplaining
      ? this.#question.choices.map((choice) => this.#explained(choice))
      : []
    const headFit = fittingRows(head, { columns, rows: Math.max(1, rows - MIN_BODY_ROWS) })
    const left = rows - headFit.shown.length - explained.length
    const bodyFit = fittingRows(body, { columns, rows: Math.max(MIN_BODY_ROWS, left) })
    const cut = headFit.cut + bodyFit.cut
    this.#isCut = cut > 0
    const missing: Line[] = cut > 0 ? [{ text: `  … ${cut} more lines; v shows all`, style: 'yellow' }] : []
    return [...headFit.shown, ...bodyFit.shown, ...missing, ...explained]
  }

  entry(): Line[] {
    const keys = this.#question.choices.map((choice) => `[${choice.word[0]}] ${this.#label(choice)}`)
    const more = [...this.#otherKeys, ...(this.#isCut ? ['[v] view all'] : []), '[?] what these do']
    return [{ text: `  ${[...keys, ...more].join('  ')} `, style: 'bold' }]
  }

  press({ text }: Key): Pressed {
    if (text === '?') this.#isExplaining = !this.#isExplaining
    if (text === 'v' && this.#isCut) return { print: [...this.#lines.head, ...this.#lines.body] }
    const chosen = this.#question.choices.find(({ word }) => word[0] === text)
    return chosen ? { answer: chosen.word } : null
  }

  #explained(choice: Choice): Line {
    return { text: `  ${choice.word[0]}  ${this.#label(choice)}: ${choiceEffect(choice)}`, style: 'dim' }
  }

  /** Of an MCP server's own question `once` means something else than approval. */
  #label({ word }: Choice): string {
    if (this.#question.kind !== 'elicitation' || word !== 'once') return word
    return this.#question.url === null ? 'yes' : 'yes, I visited it'
  }
}
