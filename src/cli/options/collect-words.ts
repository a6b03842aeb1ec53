import { InvalidArgumentError } from 'commander'

/** For options that take several words, parted by commas, given again, or both. */
export function collectWords(value: string, all: readonly string[]): string[] {
  const words = value
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')
  if (words.length === 0) throw new InvalidArgumentError('Give a word.')
  return [...all, ...words]
}
