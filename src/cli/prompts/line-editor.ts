import type { Key } from './prompt.ts'

/** One line that is being typed. */
export class LineEditor {
  #text: string

  constructor(text = '') {
    this.#text = text
  }

  get text(): string {
    return this.#text
  }

  /** True when the line is finished. */
  press({ text, name, isCtrl }: Key): boolean {
    if (name === 'return' || name === 'enter') return true
    if (name === 'backspace') this.#text = [...this.#text].slice(0, -1).join('')
    else if (isCtrl && name === 'u') this.#text = ''
    else if (!isCtrl && isTyped(text)) this.#text += text
    return false
  }
}

function isTyped(text: string): boolean {
  return text !== '' && !/[\u0000-\u001f\u007f]/.test(text)
}
