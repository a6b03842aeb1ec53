// One property into an object of a JSON file, or out of it, without a touch on any other byte. (jsonc-parser's own edits
// format what stands beside them.)
import { findNodeAtLocation, type Node, parseTree } from 'jsonc-parser'

interface Property {
  /** The object it is in; made where it is missing. */
  readonly key: string
  readonly name: string
}

/** `value` undefined takes it out. The text must be an object, JSONC is fine. */
export function editJson(text: string, { key, name }: Property, value: unknown): string {
  const root = parseTree(text, [], { allowTrailingComma: true })!
  const object = findNodeAtLocation(root, [key])
  const known = findNodeAtLocation(root, [key, name])
  if (value === undefined) return known ? without(text, object!, known.parent!) : text
  if (known) return splice(text, known, formatted(value, lineIndent(text, known.parent!.offset), text))
  return object ? inserted(text, object, [name, value]) : inserted(text, root, [key, { [name]: value }])
}

function inserted(text: string, object: Node, [name, value]: readonly [string, unknown]): string {
  const { eol, unit } = styleOf(text)
  const last = object.children?.at(-1)
  const outer = lineIndent(text, object.offset)
  const isOneLine = last !== undefined && !text.slice(object.offset, last.offset).includes('\n')
  const indent = last && !isOneLine ? lineIndent(text, last.offset) : outer + unit
  const property = `${JSON.stringify(name)}: ${isOneLine ? JSON.stringify(value) : formatted(value, indent, text)}`
  if (isOneLine) return at(text, endOf(last), `, ${property}`)
  if (last) return at(text, endOf(last), `,${eol}${indent}${property}`)
  const isEmpty = text.slice(object.offset + 1, endOf(object) - 1).trim() === ''
  if (isEmpty) return splice(text, object, `{${eol}${indent}${property}${eol}${outer}}`)
  return at(text, object.offset + 1, `${eol}${indent}${property}`)
}

function without(text: string, object: Node, property: Node): string {
  const siblings = object.children ?? []
  const place = siblings.indexOf(property)
  const previous = siblings[place - 1]
  const next = siblings[place + 1]
  if (!previous && next) return text.slice(0, property.offset) + text.slice(next.offset)
  if (!previous) {
    const inner =
      text.slice(object.offset + 1, property.offset) + text.slice(endOf(property), endOf(object) - 1)
    return splice(text, object, /^\s*,?\s*$/.test(inner) ? '{}' : `{${inner.replace(',', '')}}`)
  }
  const between = text.slice(endOf(previous), property.offset)
  // A comment in between is somebody's.
  const kept = /^\s*,\s*$/.test(between) ? '' : between.replace(',', '')
  return text.slice(0, endOf(previous)) + kept + text.slice(endOf(property))
}

function formatted(value: unknown, indent: string, text: string): string {
  const { eol, unit } = styleOf(text)
  return JSON.stringify(value, null, unit).replaceAll('\n', `${eol}${indent}`)
}

function styleOf(text: string): { readonly eol: string; readonly unit: string } {
  const unit = /^(\t| +)\S/m.exec(text)?.[1] ?? '  '
  return { eol: text.includes('\r\n') ? '\r\n' : '\n', unit }
}

/** What the line begins with that this is on. */
function lineIndent(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1
  return /^[ \t]*/.exec(text.slice(start, offset))![0]
}

function endOf({ offset, length }: Node): number {
  return offset + length
}

function at(text: string, offset: number, more: string): string {
  return text.slice(0, offset) + more + text.slice(offset)
}

function splice(text: string, { offset, length }: Node, instead: string): string {
  return text.slice(0, offset) + instead + text.slice(offset + length)
}
