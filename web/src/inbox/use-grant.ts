// Which of the permissions that codex asks for are ticked. They are what is sent, whichever way it is allowed.
import { useState } from 'react'
import {
  grantParts,
  type PermissionPart,
  permissionParts,
} from '../../../src/codex/requests/permission-parts.ts'
import type { Answer, Decide, Question, Word } from '../api/contract.ts'

type Asked = Parameters<typeof permissionParts>[0]

/** The parts are those of `asked`, and of no copy of it. */
interface Ticked {
  readonly content: string
  readonly asked: Asked
  readonly parts: readonly PermissionPart[]
  readonly ticked: ReadonlySet<PermissionPart>
}

export interface Grant extends Ticked {
  readonly toggle: (part: PermissionPart) => void
}

/** Of any question that is not about permissions there is nothing to tick. */
export function useGrant(question: Question): Grant {
  const asked = question.kind === 'permissions' ? question.permissions : null
  const content = JSON.stringify(asked)
  const [kept, setKept] = useState(() => allTicked(asked, content))
  const grant = kept.content === content ? kept : allTicked(asked, content)
  if (grant !== kept) setKept(grant)
  const toggle = (part: PermissionPart) => {
    const ticked = new Set(grant.ticked)
    if (!ticked.delete(part)) ticked.add(part)
    setKept({ ...grant, ticked })
  }
  return { ...grant, toggle }
}

/** `deny` limits the others; nobody grants it. */
export function isTickable({ access }: PermissionPart): boolean {
  return access !== 'deny'
}

/** What a word means for this question as it is ticked now. Null: it cannot be given. */
export function decisionFor(question: Question, word: Word, { asked, ticked }: Ticked): Decide | null {
  if (question.kind !== 'permissions' || word === 'deny' || word === 'cancel') return { answer: word }
  if (ticked.size === 0 || (word !== 'once' && word !== 'session')) return null
  const permissions = grantParts(asked, [...ticked])
  return { answer: { permissions, scope: word === 'once' ? 'turn' : 'session' } as Answer }
}

export function allTicked(permissions: unknown, content: string): Ticked {
  const parts = readParts(permissions)
  return {
    content,
    asked: (permissions ?? {}) as Asked,
    parts,
    ticked: new Set(parts.filter(isTickable)),
  }
}

/** Of what codex sends in another shape than it does today nothing can be granted here. */
export function readParts(permissions: unknown): readonly PermissionPart[] {
  try {
    return permissionParts((permissions ?? {}) as Asked)
  } catch {
    return []
  }
}
