import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Db } from '../db.ts'

const ANSWER_MS = 2_000
const KEPT_MS = 1_000

/** Whether the server answers a query soon. Asked once for all who want to know at the same time, and once a second. */
export function reachability(db: Db): () => Promise<boolean> {
  let last: { readonly at: number; readonly isReachable: Promise<boolean> } | null = null
  return () => {
    if (last === null || performance.now() - last.at > KEPT_MS)
      last = { at: performance.now(), isReachable: answers(db) }
    return last.isReachable
  }
}

async function answers(db: Db): Promise<boolean> {
  const ended = new AbortController()
  const asked = sql`select 1`.execute(db).then(
    () => true,
    () => false,
  )
  const late = delay(ANSWER_MS, false, { signal: ended.signal }).catch(() => false)
  try {
    return await Promise.race([asked, late])
  } finally {
    ended.abort()
  }
}
