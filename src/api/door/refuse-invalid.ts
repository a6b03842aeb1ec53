import type { z } from 'zod'
import { DoorError } from '../door-error.ts'
import { issueText } from './issue-text.ts'

type Checked = { readonly target: string; readonly data?: unknown } & (
  | { readonly success: true }
  | { success: false; error: z.ZodError }
)

/** What to do with input that is not as the contract says: name every place. */
export function refuseInvalid(checked: Checked): void {
  if (checked.success) return
  const all = checked.error.issues.flatMap(innermost)
  const issues = all.map(({ path, message }) => ({
    path: [checked.target === 'json' ? 'body' : checked.target, ...path.map(String)].join('.'),
    message,
  }))
  const [first] = all
  throw new DoorError('bad-request', first ? issueText(first, checked.data) : 'the request is not valid', {
    details: { issues },
  })
}

type Issue = z.core.$ZodIssue

/** Of a choice that fits nowhere, what is wrong with the one that came nearest. */
function innermost(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [issue]
  const nearest = issue.errors.toSorted((one, other) => depth(other) - depth(one))[0]!
  return depth(nearest) === 0
    ? [issue]
    : nearest.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }))
}

function depth(issues: readonly Issue[]): number {
  return Math.max(0, ...issues.map(({ path }) => path.length))
}
