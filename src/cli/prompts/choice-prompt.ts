import type { Choice, Question, Word } from '../../codex/index.ts'
import type { Line } from '../screen/index.ts'
import { choiceEffect } from './choice-effect.ts'
import { fittingRows } from './fitting-rows.ts'
import type { Key, Pressed, Prompt, Room } from './prompt.ts'
import { type QuestionLines, questionLines } from './question-lines.ts'

/** The least a diff or a command may shrink to on a small screen. */
const MIN_BODY_ROWS = 3

const GRANT: Readonly<Partial<Record<Word, string>>> = {
  once: 'allow for this turn',
  session: 'allow for this task',
}

/**
 * Answers with one of the question's own choices, each by the first letter of its word. What does not fit the screen is
 * printed before it can be allowed; it can be denied at once.
 */
export class ChoicePrompt implements Prompt {
  readonly #question: Question
  readonly #lines: QuestionLines
  readonly #otherKeys: readonly string[]
  #isExplaining = false
  #isCut = false
  #isPrinted = false

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
    const missing: Line[] =
      cut > 0
        ? [
            {
              text: `  … ${cut} more lines; ${this.isUnseen ? 'press v to see all before you allow it' : 'printed above'}`,
              style: 'yellow',
            },
          ]
        : []
    return [...headFit.shown, ...bodyFit.shown, ...missing, ...explained]
  }

  entry(): Line[] {
    const keys = this.#answerable().map((choice) => `[${choice.word[0]}] ${this.#label(choice)}`)
    const others = this.isUnseen ? ['[v] view all'] : this.#otherKeys
    const more = [...others, ...(this.#isCut && !this.isUnseen ? ['[v] view all'] : []), '[?] what these do']
    return [{ text: `  ${[...keys, ...more].join('  ')} `, style: 'bold' }]
  }

  press({ text }: Key): Pressed {
    if (text === '?') this.#isExplaining = !this.#isExplaining
    if (text === 'v' && this.#isCut) {
      this.#isPrinted = true
      return { print: [...this.#lines.head, ...this.#lines.body] }
    }
    const chosen = this.#answerable().find(({ word }) => word[0] === text)
    return chosen ? { answer: chosen.word } : null
  }

  /** Whether something of the question has not been on the screen yet. */
  get isUnseen(): boolean {
    return this.#isCut && !this.#isPrinted
  }

  #answerable(): readonly Choice[] {
    const { choices } = this.#question
    return this.isUnseen ? choices.filter(({ word }) => word === 'deny' || word === 'cancel') : choices
  }

  #explained(choice: Choice): Line {
    return { text: `  ${choice.word[0]}  ${this.#label(choice)}: ${choiceEffect(choice)}`, style: 'dim' }
  }

  /** Of an MCP server's own question `once` means something else than approval; of permissions it is the whole turn. */
  #label({ word }: Choice): string {
    if (this.#question.kind === 'permissions') return GRANT[word] ?? word
    if (this.#question.kind !== 'elicitation' || word !== 'once') return word
    return this.#question.url === null ? 'yes' : 'yes, I visited it'
  }
}
