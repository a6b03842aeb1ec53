// Options of a command, read in two ways: loosely to refuse (a suspicion is enough), strictly to allow.

/** Where one of `names` stands, or -1. Abbreviated, bundled and `=`-joined forms count. */
export function findOption(words: readonly string[], names: readonly string[]): number {
  return words.findIndex((word, index) => index > 0 && names.some((name) => mayMean(word, name)))
}

function mayMean(word: string, name: string): boolean {
  const given = word.split('=')[0]!
  if (given === name) return true
  if (name.startsWith('--')) return given.length > 2 && given.startsWith('--') && name.startsWith(given)
  const isBundle = name.length === 2 && /^-[^-]/.test(word)
  return isBundle && word.slice(1).includes(name[1]!)
}

/**
 * Whether every option in `words` is one of `known`, wherever it stands. `-n` and `--stat` take no value, `-n=` and
 * `--format=` may have one, `-#` is a number. A value in the next word that looks like an option must be known itself,
 * so nothing hides behind an option.
 */
export function hasOnlyOptions(words: readonly string[], known: readonly string[]): boolean {
  return words.every((word) => !word.startsWith('-') || word === '-' || word === '--' || isKnown(word, known))
}

function isKnown(word: string, known: readonly string[]): boolean {
  if (known.includes(word)) return true
  if (/^-[0-9]+$/.test(word)) return known.includes('-#')
  const [name = ''] = word.split('=')
  if (name.length > 2 && known.includes(`${name}=`)) return true
  return /^-[A-Za-z0-9]/.test(word) && isKnownBundle(word.slice(1), known)
}

function isKnownBundle(letters: string, known: readonly string[]): boolean {
  for (const letter of letters) {
    if (known.includes(`-${letter}=`)) return true
    if (!known.includes(`-${letter}`)) return false
  }
  return true
}
