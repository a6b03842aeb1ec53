/** The first `limit` characters and a note of how many are missing. Never splits a surrogate pair. */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text
  const head = text.slice(0, wholeCharacters(text, limit))
  return `${head}${note(text.length - head.length)}`
}

/** The first and the last `limit / 2` characters: a command's verdict is usually at its end. */
export function cutMiddle(text: string, limit: number): string {
  if (text.length <= limit) return text
  const head = text.slice(0, wholeCharacters(text, Math.ceil(limit / 2)))
  const tail = text.slice(wholeCharacters(text, text.length - Math.floor(limit / 2)))
  return `${head}${note(text.length - head.length - tail.length)}${tail}`
}

function note(missing: number): string {
  return ` […${missing} characters left out…] `
}

/** `at`, or one less where that would split a surrogate pair. */
function wholeCharacters(text: string, at: number): number {
  const before = text.charCodeAt(at - 1)
  const after = text.charCodeAt(at)
  const splitsPair = before >= 0xd800 && before < 0xdc00 && after >= 0xdc00 && after < 0xe000
  return splitsPair ? at - 1 : at
}

/** At most `limit` characters from `offset` on, and where the next piece begins; null after the last. */
export function pieceOf(
  text: string,
  offset: number,
  limit: number,
): { readonly piece: string; readonly nextOffset: number | null } {
  const from = wholeCharacters(text, Math.min(offset, text.length))
  const to = wholeCharacters(text, Math.min(from + limit, text.length))
  return { piece: text.slice(from, to), nextOffset: to < text.length ? to : null }
}
