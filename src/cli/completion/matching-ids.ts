import { MIN_ID_LENGTH, shortId } from '../tasks/index.ts'
import type { Candidate } from './candidates.ts'

/**
 * Ids for what is typed: as lists show them, by their ends, which tell them apart. Who types the beginning of a whole
 * one gets it whole, and who types the end of the only one that has it gets that.
 */
export function matchingIds(typed: string, all: readonly Candidate[]): Candidate[] {
  const short = all.map(({ value, description }) => ({ value: shortId(value), description }))
  const begun = short.filter(({ value }) => value.startsWith(typed))
  if (begun.length > 0) return begun
  const whole = all.filter(({ value }) => value.startsWith(typed))
  if (whole.length > 0 || typed.length < MIN_ID_LENGTH) return whole
  const ended = all.filter(({ value }) => value.endsWith(typed))
  return ended.length === 1 ? ended : []
}
