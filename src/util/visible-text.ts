// Text of others, so that it reads as what it is. The console bundles this file.

// Controls, zero-width, direction and filler characters: with them a command can read other than it runs.
const INVISIBLE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e00ff}]|\u034f|[\ufe00-\ufe0e]|[\u{e0100}-\u{e01ef}]/gu

/** Between two emoji it makes one of them, as in 👩‍👧; anywhere else it hides. */
const LONE_JOINER =
  /(?<!\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?)\u200d|\u200d(?!\p{Extended_Pictographic})/gu

/** Makes a picture of a sign before it; after anything else it hides. */
const LONE_SELECTOR = /(?<![\p{Extended_Pictographic}\d#*])\ufe0f/gu

/** Looks like a space and is none to a shell. Prose may have them. */
const ODD_SPACE = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000]/gu

const HIDDEN = new RegExp(
  [INVISIBLE, LONE_JOINER, LONE_SELECTOR, ODD_SPACE].map(({ source }) => source).join('|'),
  'gu',
)

/** Shows what a screen would hide or act on, so that whoever approves sees all of what would run. */
export function visible(text: string): string {
  return replaceHidden(text.toWellFormed(), spelledOut)
}

export function replaceHidden(text: string, replace: (hidden: string) => string): string {
  return text.replace(INVISIBLE, replace).replace(LONE_JOINER, replace).replace(LONE_SELECTOR, replace)
}

/** The same for commands, paths and code, where a space has to be a space. */
export function visibleCode(text: string): string {
  return visible(text).replace(ODD_SPACE, spelledOut)
}

/** The same in pieces, for where what is spelled out can be marked. */
export function visibleParts(
  text: string,
): readonly { readonly text: string; readonly isSpelledOut: boolean }[] {
  const whole = text.toWellFormed()
  const parts: { text: string; isSpelledOut: boolean }[] = []
  let from = 0
  for (const { index, 0: hidden } of whole.matchAll(HIDDEN)) {
    if (index > from) parts.push({ text: whole.slice(from, index), isSpelledOut: false })
    parts.push({ text: spelledOut(hidden), isSpelledOut: true })
    from = index + hidden.length
  }
  if (from < whole.length || parts.length === 0) parts.push({ text: whole.slice(from), isSpelledOut: false })
  return parts
}

/** The same on one line: what is told of a question must not look like more of it. */
export function visibleLine(text: string): string {
  return visible(text).replace(/\s*\n\s*/g, ' ⏎ ')
}

export function spelledOut(character: string): string {
  return `\\u{${character.codePointAt(0)!.toString(16)}}`
}
