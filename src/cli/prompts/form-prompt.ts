import type { Answer, Question } from '../../codex/index.ts'
import { type Line, visibleLine } from '../screen/index.ts'
import { type Field, fieldValue } from './field.ts'
import { fittingRows } from './fitting-rows.ts'
import { LineEditor } from './line-editor.ts'
import type { Key, Pressed, Prompt, Room } from './prompt.ts'
import { questionLines } from './question-lines.ts'

export interface Form {
  readonly question: Question
  readonly fields: readonly Field[]
  /** The answer, once every field was seen. */
  readonly answer: (values: ReadonlyMap<string, unknown>) => Answer
}

/** Asks for one field after the other. A required one left empty, and Esc, mean no. */
export class FormPrompt implements Prompt {
  readonly #form: Form
  readonly #values = new Map<string, unknown>()
  #index = 0
  #editor: LineEditor
  #problem: string | null = null

  constructor(form: Form) {
    this.#form = form
    this.#editor = new LineEditor(form.fields[0]?.initial)
  }

  lines(room: Room): Line[] {
    const { question, fields } = this.#form
    const field = this.#field
    const count = fields.length > 1 ? `${this.#index + 1} of ${fields.length}: ` : ''
    const asked: Line[] = [
      {
        text: `  ${count}${visibleLine(field.label)}${field.isRequired ? ' (required)' : ''}`,
        style: 'bold',
      },
      ...(field.hint ? [{ text: `  ${visibleLine(field.hint)}`, style: 'dim' as const }] : []),
      ...field.options.map(({ label, description }, index) => ({
        text: `  ${index + 1}  ${visibleLine(label)}${description ? `: ${visibleLine(description)}` : ''}`,
      })),
    ]
    const { shown, cut } = fittingRows([...questionLines(question).head, ...asked], room)
    return cut > 0 ? [...shown, { text: `  … ${cut} more lines`, style: 'yellow' }] : [...shown]
  }

  entry(): Line[] {
    const field = this.#field
    const empty = field.isRequired ? 'declines' : 'skips'
    const hint = `${wanted(field)} · Enter answers, empty ${empty}, Esc declines`
    return [
      ...(this.#problem ? [{ text: `  ${this.#problem}`, style: 'red' as const }] : []),
      { text: `  ${hint}`, style: 'dim' },
      { text: `› ${field.isSecret ? '' : this.#editor.text}` },
    ]
  }

  press(key: Key): Pressed {
    if (key.name === 'escape') return { answer: 'deny' }
    this.#problem = null
    return this.#editor.press(key) ? this.#finish(this.#editor.text) : null
  }

  get #field(): Field {
    return this.#form.fields[this.#index]!
  }

  #finish(typed: string): Pressed {
    const field = this.#field
    const given = fieldValue(field, typed)
    if (given.problem !== undefined) {
      this.#problem = given.problem
      return null
    }
    if (given.value !== undefined) this.#values.set(field.name, given.value)
    else if (field.isRequired) return { answer: 'deny' }
    this.#index++
    if (this.#index === this.#form.fields.length) return { answer: this.#form.answer(this.#values) }
    this.#editor = new LineEditor(this.#field.initial)
    return null
  }
}

function wanted({ kind, options, allowsOther, isSecret }: Field): string {
  if (isSecret) return 'typed without being shown'
  if (kind === 'boolean') return 'y or n'
  if (kind === 'number' || kind === 'integer') return kind === 'integer' ? 'a whole number' : 'a number'
  if (kind === 'many') return `numbers from 1 to ${options.length}, with commas`
  if (kind === 'one') return `a number from 1 to ${options.length}${allowsOther ? ', or your own words' : ''}`
  return 'your words'
}
