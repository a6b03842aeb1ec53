import { UsageError } from '../process/index.ts'

/** What an option counts with. `option` is its name, without the dashes. */
export function wholeNumber(
  text: string,
  option: string,
  { min, max }: { min: number; max: number },
): number {
  const value = Number(text)
  if (text.trim() !== '' && Number.isInteger(value) && value >= min && value <= max) return value
  const range = max === Number.MAX_SAFE_INTEGER ? ` from ${min} on` : ` from ${min} to ${max}`
  throw new UsageError(`--${option}: not a whole number${range}: ${text}`)
}

/** How many a page of the API has at most. */
const PAGE_MAX = 500

export function pageLimit(text: string): number {
  return wholeNumber(text, 'limit', { min: 1, max: PAGE_MAX })
}
