// Items that are words: what somebody said, or what we say about an item we do not know.
import { cutText } from '../../util/cut-text.ts'
import { fieldsOf, type ItemFields, listOf, textOf } from './item-fields.ts'
import type { MessageLimits } from './limits.ts'
import { mapStrings, stableJson } from './stable-json.ts'
import { withoutMedia } from './without-media.ts'

export function userText(item: ItemFields): string {
  return joinLines(listOf(item.content).map((part) => userPart(fieldsOf(part))))
}

/** Pictures, sound, skills and mentions as one word each, so that a message of only a picture is still one. */
function userPart(part: ItemFields): string {
  if (typeof part.text === 'string') return part.text
  const type = textOf(part.type)
  const subject = textOf(part.path) || textOf(part.url) || textOf(part.fileId) || textOf(part.name)
  return type && `[${[type, withoutMedia(subject)].filter(Boolean).join(' ')}]`
}

/** The text, then the questions codex put beside it. */
export function agentText(item: ItemFields): string {
  const questions = listOf(item.questions).map((question) => {
    const { title, options } = fieldsOf(question)
    return [textOf(title), listOf(options).map(textOf).filter(Boolean).join(' / ')].filter(Boolean).join(': ')
  })
  return joinLines([textOf(item.text), ...questions])
}

export function reasoningText(item: ItemFields): string {
  return joinLines([...listOf(item.summary), ...listOf(item.content)].map(textOf))
}

export function hookText(item: ItemFields): string {
  return joinLines(listOf(item.fragments).map((fragment) => textOf(fieldsOf(fragment).text)))
}

/** `[codex <type>] <everything but type and id>`: shown, because dropping what we do not know would hide it. */
export function unknownItemText(item: ItemFields, limits: MessageLimits): string {
  const { type, id, ...rest } = item
  const label = cutText(textOf(type) || 'item', 64)
  return `[codex ${label}] ${cutText(stableJson(mapStrings(rest, withoutMedia)), limits.unknownItem)}`
}

function joinLines(lines: readonly string[]): string {
  return lines.filter((line) => line !== '').join('\n')
}
