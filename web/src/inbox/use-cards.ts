import { useEffect, useState } from 'react'
import * as calls from '../api/calls.ts'
import type { Approval } from '../api/contract.ts'

type Cards = ReadonlyMap<string, Approval>

/**
 * The questions of the list, and those that were in it while this page was open: a card does not vanish under somebody's
 * hand, it says how it ended.
 */
export function useCards(listed: readonly Approval[] | undefined): readonly Approval[] {
  const [seen, setSeen] = useState<Cards>(new Map())
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was seen is compared when the list changes, not before.
  useEffect(() => {
    if (!listed) return
    setSeen((cards) => new Map([...cards, ...listed.map((approval) => [approval.id, approval] as const)]))
    for (const id of gone(seen, listed))
      void calls.approvals.get(id).then(
        (approval) => setSeen((cards) => new Map([...cards, [id, approval]])),
        // Its task was deleted.
        () => setSeen((cards) => new Map([...cards].filter(([other]) => other !== id))),
      )
  }, [listed])
  const fresh = new Map([...seen, ...(listed ?? []).map((approval) => [approval.id, approval] as const)])
  return [...fresh.values()].sort((a, b) => a.createdAt - b.createdAt)
}

/** Not in the list any more, and nobody has said how they ended. */
function gone(seen: Cards, listed: readonly Approval[]): string[] {
  const ids = new Set(listed.map(({ id }) => id))
  return [...seen.values()]
    .filter(({ id, status }) => status === 'pending' && !ids.has(id))
    .map(({ id }) => id)
}
