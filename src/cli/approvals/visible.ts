// Zero-width and direction characters: with them a command can read other than it runs.
const INVISIBLE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu

/** Between two emoji it makes one of them, as in 👩‍👧; anywhere else it hides. */
const LONE_JOINER =
  /(?<!\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?)\u200d|\u200d(?!\p{Extended_Pictographic})/gu

/** Shows what a terminal would hide or act on, so that whoever approves sees all of what would run. */
export function visible(text: string): string {
  return text.replace(INVISIBLE, spelledOut).replace(LONE_JOINER, spelledOut)
}

/** The same on one line: what is told of a question must not look like more of it. */
export function visibleLine(text: string): string {
  return visible(text).replace(/\s*\n\s*/g, ' ⏎ ')
}

export function spelledOut(character: string): string {
  return `\\u{${character.codePointAt(0)!.toString(16)}}`
}
