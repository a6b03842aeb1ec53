// On which side of the sandbox a command runs, and how far a rule lets it go.
import type { Rule } from './rule.ts'

export type Side = 'inside' | 'outside'

export function sideText(side: Side): string {
  return `${side} the sandbox`
}

/**
 * How far an allow rule lets commands go: `outside` when it lets one leave the sandbox. Null for a rule that allows no
 * command.
 */
export function ruleReach({ answer, kind, match }: Rule): Side | null {
  if (answer !== 'allow' || kind !== 'command') return null
  return match.isSandboxed === true ? 'inside' : 'outside'
}
