import { UsageError } from '../process/index.ts'

const MAX_SECONDS = 2_147_483

/** What was given to an option, as a number. Throws when no timer could take it. */
export function seconds(text: string, option: string): number {
  const value = Number(text)
  if (text.trim() !== '' && value >= 1 && value <= MAX_SECONDS) return value
  throw new UsageError(`--${option}: not a number of seconds from 1 to ${MAX_SECONDS}: ${text}`)
}
