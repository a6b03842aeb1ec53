import {
  grantParts,
  type PermissionPart,
  type PermissionsQuestion,
  permissionParts,
} from '../../codex/index.ts'
import { type Line, visibleCode, visibleLine } from '../screen/index.ts'
import { ChoicePrompt } from './choice-prompt.ts'
import { fittingRows } from './fitting-rows.ts'
import type { Key, Pressed, Prompt, Room } from './prompt.ts'
import { questionLines } from './question-lines.ts'

/** All of it by one key, or one thing after the other, and then for how long. Nothing chosen is a no. */
export class PermissionsPrompt implements Prompt {
  readonly #question: PermissionsQuestion
  readonly #whole: ChoicePrompt
  readonly #parts: readonly PermissionPart[]
  /** What was said to each part so far; null: nobody has begun to choose. */
  #said: boolean[] | null = null

  constructor(question: PermissionsQuestion) {
    this.#question = question
    this.#parts = permissionParts(question.permissions).filter(({ access }) => access !== 'deny')
    this.#whole = new ChoicePrompt(question, this.#parts.length > 1 ? ['[p] choose each'] : [])
  }

  lines(room: Room): Line[] {
    if (this.#said === null) return this.#whole.lines(room)
    const said = this.#said
    const chosen = this.#parts.map(({ label }, index): Line => {
      const mark = index === said.length ? '›' : said[index] === undefined ? ' ' : said[index] ? '✓' : '✗'
      return { text: `  ${mark} ${onLine(label)}`, style: index === said.length ? 'bold' : 'cyan' }
    })
    const { head } = questionLines(this.#question)
    const { shown, cut } = fittingRows([...head, ...chosen], room)
    return cut > 0 ? [...shown, { text: `  … ${cut} more lines`, style: 'yellow' }] : [...shown]
  }

  entry(): Line[] {
    if (this.#said === null) return this.#whole.entry()
    const next = this.#parts[this.#said.length]
    const text = next
      ? `  ${onLine(next.label)}?  [y] yes  [n] no  [Esc] back `
      : '  for how long?  [t] this turn  [s] this task  [Esc] back '
    return [{ text, style: 'bold' }]
  }

  press(key: Key): Pressed {
    const said = this.#said
    if (said === null) return this.#begin(key)
    if (key.name === 'escape') this.#said = null
    else if (said.length < this.#parts.length) return this.#say(key, said)
    else if (key.text === 't' || key.text === 's')
      return this.#grant(said, key.text === 't' ? 'turn' : 'session')
    return null
  }

  #begin(key: Key): Pressed {
    if (key.text !== 'p' || this.#parts.length < 2 || this.#whole.isUnseen) return this.#whole.press(key)
    this.#said = []
    return null
  }

  #say({ text }: Key, said: boolean[]): Pressed {
    if (text === 'y' || text === 'n') said.push(text === 'y')
    return said.length === this.#parts.length && !said.includes(true) ? { answer: 'deny' } : null
  }

  #grant(said: readonly boolean[], scope: 'turn' | 'session'): Pressed {
    const chosen = this.#parts.filter((_, index) => said[index])
    return { answer: { permissions: grantParts(this.#question.permissions, chosen), scope } }
  }
}

/** On one line, with nothing hidden: it is a path that codex named. */
function onLine(label: string): string {
  return visibleLine(visibleCode(label))
}
