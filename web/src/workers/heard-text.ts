import type { Worker } from '../api/contract.ts'
import { ageText } from '../ui/age-text.ts'

/** When a worker was last heard of: to the second while it is there. */
export function heardText(state: Worker['state'], silentMs: number): string {
  const age = silentMs < 60_000 ? `${Math.round(silentMs / 1000)} s` : ageText(silentMs)
  if (state === 'stopped') return `stopped ${age} ago`
  return state === 'lost' ? `not heard of for ${age}` : `heard ${age} ago`
}
