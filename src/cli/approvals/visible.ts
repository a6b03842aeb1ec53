// Zero-width and direction characters: with them a command can read other than it runs.
const INVISIBLE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu

/** Shows what a terminal would hide or act on, so that whoever approves sees all of what would run. */
export function visible(text: string): string {
  return text.replace(INVISIBLE, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`)
}

/** The same on one line: what is told of a question must not look like more of it. */
export function visibleLine(text: string): string {
  return visible(text).replace(/\s*\n\s*/g, ' ⏎ ')
}
