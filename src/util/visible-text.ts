// Characters that a screen hides or acts on: controls, escape sequences, zero-width characters and marks of direction.
// With them a title or a command can read other than it is. One table for the terminal and for notices.
import { stripVTControlCharacters } from 'node:util'

const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu

/** Between two emoji it makes one of them, as in 👩‍👧; anywhere else it hides. */
const LONE_JOINER =
  /(?<!\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?)\u200d|\u200d(?!\p{Extended_Pictographic})/gu

/** Escape sequences that an older terminal takes too: titles and links (OSC), device strings, eight-bit CSI. */
const SEQUENCE =
  /(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c|$)/g

/** In what people write: marks that join letters, or where a word may break, change no meaning. */
const JOINERS = new Set(['\u00ad', '\u200c', '\u200d'])

/** Shows each of them by its number, so that whoever approves sees all of what would run. Tabs and line feeds stay. */
export function visible(text: string): string {
  return replaceHidden(text.toWellFormed(), spelledOut)
}

/** The same on one line: what is told of a question must not look like more of it. */
export function visibleLine(text: string): string {
  return visible(text).replace(/\s*\n\s*/g, ' ⏎ ')
}

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

function replaceHidden(text: string, replace: (hidden: string) => string): string {
  return text.replace(HIDDEN, replace).replace(LONE_JOINER, replace)
}

function withoutSequences(text: string): string {
  return stripVTControlCharacters(text.replace(SEQUENCE, ''))
}

function spelledOut(character: string): string {
  return `\\u{${character.codePointAt(0)!.toString(16)}}`
}
