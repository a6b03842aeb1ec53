// Text of others without what a screen acts on: controls, escape sequences and marks of direction. For the terminal and
// for notices; `visible-text.ts` has the characters.
import { stripVTControlCharacters } from 'node:util'
import { replaceHidden, spelledOut } from './visible-text.ts'

/** Escape sequences that an older terminal takes too: titles and links (OSC), device strings, eight-bit CSI. */
const SEQUENCE =
  /(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c|$)/g

/** In what people write: marks that join letters, or where a word may break, change no meaning. */
const JOINERS = new Set(['\u00ad', '\u200c', '\u200d'])

/** Without them, for messages to people: nothing is left to spell out in a subject or a chat. */
export function plainText(text: string): string {
  return replaceHidden(withoutSequences(text.toWellFormed().replace(/\r\n?/g, '\n')), () => '')
}

/** Without controls and escape sequences; letters stay as they are. */
export function printable(text: string): string {
  return withoutSequences(text).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '')
}

/** The same for a screen, where what hides or turns the direction of text is spelled out. */
export function onScreen(text: string): string {
  return replaceHidden(printable(text), (hidden) => (JOINERS.has(hidden) ? hidden : spelledOut(hidden)))
}

function withoutSequences(text: string): string {
  return stripVTControlCharacters(text.replace(SEQUENCE, ''))
}
