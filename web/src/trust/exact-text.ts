// Text from a repository, shown so that it cannot read other than it is.

/** Control, zero-width and direction characters: with them a command can read other than it runs. */
const INVISIBLE =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu

/** On one line, whole: a newline in a command must not look like the next line of the card. */
export function exactText(text: string): string {
  return text.replace(INVISIBLE, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`)
}

/** A command with its arguments, as one would type it: each word is told from the next. */
export function commandLine(words: readonly string[]): string {
  const typed = words.map((word) =>
    /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`,
  )
  return exactText(typed.join(' '))
}
