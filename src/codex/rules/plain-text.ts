// Which characters may stand in something a rule is asked to judge. What a person cannot see, or sees in another
// order than it runs, is not judged.

const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/u

/** The first character that cannot be judged, or null. Newline and tab are the only control characters that can. */
export function unseenCharacter(text: string): string | null {
  for (const character of text) {
    if (character === '\n' || character === '\t') continue
    if (UNSEEN.test(character))
      return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`
  }
  return null
}

/** One visible line: no control characters, no line breaks. */
export function isPlainLine(text: string): boolean {
  return !/[\n\t]/.test(text) && unseenCharacter(text) === null
}

/** For refusals only: what looks alike counts as alike. An allow compares exactly. */
export function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase()
}
