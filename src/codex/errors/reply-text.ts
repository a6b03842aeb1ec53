import { UnexpectedReplyError } from './errors.ts'

/** A text in a reply that we act on, such as an id; the rest of a reply passes through unchecked. */
export function replyText(value: unknown, { method, field }: { method: string; field: string }): string {
  if (typeof value === 'string') return value
  throw new UnexpectedReplyError(method, field)
}
