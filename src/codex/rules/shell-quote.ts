/** Words as a shell text that reads back as the same words. */
export function quoteWords(words: readonly string[]): string {
  return words.map(quoteWord).join(' ')
}

export function quoteWord(word: string): string {
  if (/^[A-Za-z0-9_./:@%+,-][A-Za-z0-9_./:@%+,=-]*$/.test(word)) return word
  return `'${word.replaceAll("'", "'\\''")}'`
}
