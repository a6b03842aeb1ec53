// What the model says, cut and cleaned for people.
import { plainText } from '../../util/screen-text.ts'

export function lineOf(text: string, limit: number): string {
  return cut(plainText(text).replace(/\s+/g, ' ').trim(), limit)
}

export function textOf(text: string, limit: number): string {
  return cut(plainText(text).trim(), limit)
}

function cut(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit - 1).toWellFormed()}…`
}
