// Text from a model or a command, made fit for a terminal.
import { stripVTControlCharacters } from 'node:util'
import { spelledOut } from './approvals/visible.ts'

/** Must not steer the terminal: control characters other than tab and newline go. */
export function printable(text: string): string {
  return stripVTControlCharacters(text).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '')
}

const DIRECTIONS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** The same for a screen, where what turns the direction of text is spelled out: it could show other than was said. */
export function onScreen(text: string): string {
  return printable(text).replace(DIRECTIONS, spelledOut)
}
