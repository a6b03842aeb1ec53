// Ids as people give them: whole, or enough of the beginning or end to be the only one.
import type { DrawbridgeClient, Page } from '../../api/index.ts'
import { DrawbridgeError } from '../../codex/index.ts'
import { UsageError } from '../usage-error.ts'

const WHOLE = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const MIN_LENGTH = 4
const PAGES = 50

/** What lists show. Ids begin with the time, so the end tells them apart. */
export function shortId(id: string): string {
  return id.slice(-8)
}

export function findTaskId(client: DrawbridgeClient, given: string): Promise<string> {
  return findId(given, 'task', (cursor) => client.tasks.list({ archived: true, limit: 200, cursor }))
}

export async function findApprovalId(client: DrawbridgeClient, given: string): Promise<string> {
  const open = await candidates(given, (cursor) =>
    client.approvals({ status: 'pending', limit: 200, cursor }),
  )
  if (open.length === 1) return open[0]!
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
  if (WHOLE.test(given)) return given
  if (given.length < MIN_LENGTH)
    throw new UsageError(`${given}: give at least ${MIN_LENGTH} characters of the id`)
  const found = await candidates(given, next)
  if (found.length === 1) return found[0]!
  if (found.length === 0) throw new DrawbridgeError(`there is no ${what} ${given}`, { code: 'not-found' })
  throw new UsageError(`${given} is not the only one: ${found.slice(0, 5).join(', ')}`)
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
