// Ids as people give them: whole, or enough of the beginning or end to be the only one.
import type { DrawbridgeClient, Page } from '../../api/index.ts'
import { DrawbridgeError } from '../../codex/index.ts'
import { UsageError } from '../usage-error.ts'

const WHOLE = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
/** Less than this fits too much to name something. */
export const MIN_ID_LENGTH = 4
const PAGES = 50

/** What lists show. Ids begin with the time, so the end tells them apart. */
export function shortId(id: string): string {
  return id.slice(-8)
}

export function findTaskId(client: DrawbridgeClient, given: string): Promise<string> {
  return findId(given, 'task', (cursor) => client.tasks.list({ archived: true, limit: 200, cursor }))
}

/**
 * Open questions come before settled ones, by their ends only: ids begin with the time, so that the beginning of a
 * question that is over is often that of another which is open.
 */
export async function findApprovalId(client: DrawbridgeClient, given: string): Promise<string> {
  if (isWhole(given)) return given
  const open = await candidates(given, (cursor) =>
    client.approvals({ status: 'pending', limit: 200, cursor }),
  )
  const [only, ...others] = open.filter((id) => id.endsWith(given))
  if (only !== undefined && others.length === 0) return only
  return findId(given, 'question', (cursor) => client.approvals({ limit: 200, cursor }))
}

export function findNoticeId(client: DrawbridgeClient, given: string): Promise<string> {
  return findId(given, 'notice', (cursor) => client.notices({ limit: 200, cursor }))
}

export function findRuleId(client: DrawbridgeClient, given: string): Promise<string> {
  return findId(given, 'standing rule', async () => ({ items: await client.rules(), cursor: null }))
}

type NextPage = (cursor?: string) => Promise<Page<{ id: string }>>

async function findId(given: string, what: string, next: NextPage): Promise<string> {
  if (isWhole(given)) return given
  const found = await candidates(given, next)
  if (found.length === 1) return found[0]!
  if (found.length === 0) throw new DrawbridgeError(`there is no ${what} ${given}`, { code: 'not-found' })
  throw new UsageError(`${given} is not the only one: ${found.slice(0, 5).join(', ')}`)
}

/** Throws for what is too little of an id: it would fit whatever there is. */
function isWhole(given: string): boolean {
  if (WHOLE.test(given)) return true
  if (given.length < MIN_ID_LENGTH)
    throw new UsageError(`'${given}': give at least ${MIN_ID_LENGTH} characters of the id`)
  return false
}

async function candidates(given: string, next: NextPage): Promise<string[]> {
  const found: string[] = []
  let cursor: string | undefined
  for (let page = 0; page < PAGES; page++) {
    const { items, cursor: following } = await next(cursor)
    found.push(...items.map(({ id }) => id).filter((id) => id.startsWith(given) || id.endsWith(given)))
    if (following === null) break
    cursor = following
  }
  return found
}
