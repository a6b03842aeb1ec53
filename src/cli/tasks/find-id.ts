// Ids as people give them: whole, or enough of the beginning or end to be the only one.
import type { DrawbridgeClient, Page } from '../../api/index.ts'
import { DrawbridgeError } from '../../codex/index.ts'
import { UsageError } from '../process/index.ts'
import { cutToColumns, visibleLine } from '../screen/index.ts'

const WHOLE = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
/** Less than this fits too much to name something. */
export const MIN_ID_LENGTH = 4
const PAGES = 50

/** What lists show. Ids begin with the time, so the end tells them apart. */
export function shortId(id: string): string {
  return id.slice(-8)
}

export function findTaskId(client: DrawbridgeClient, given: string): Promise<string> {
  return findId(given, {
    code: 'task-not-found',
    what: 'task',
    next: (cursor) => client.tasks.list({ archived: true, limit: 200, cursor }),
    nameOf: ({ title }) => title,
  })
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
  const [only, ...others] = open.filter(({ id }) => id.endsWith(given))
  if (only !== undefined && others.length === 0) return only.id
  return findId(given, {
    code: 'approval-not-found',
    what: 'question',
    next: (cursor) => client.approvals({ limit: 200, cursor }),
    nameOf: ({ question }) => question.title,
  })
}

export function findNoticeId(client: DrawbridgeClient, given: string): Promise<string> {
  return findId(given, {
    code: 'notice-not-found',
    what: 'notice',
    next: (cursor) => client.notices({ limit: 200, cursor }),
    nameOf: ({ title }) => title,
  })
}

export function findRuleId(client: DrawbridgeClient, given: string): Promise<string> {
  return findId(given, {
    code: 'rule-not-found',
    what: 'standing rule',
    next: async () => ({ items: await client.rules(), cursor: null }),
    nameOf: ({ text }) => text,
  })
}

export function findSnapshotId(client: DrawbridgeClient, given: string): Promise<string> {
  return findId(given, {
    code: 'snapshot-not-found',
    what: 'snapshot',
    next: async () => ({ items: await client.snapshots.all(), cursor: null }),
    nameOf: ({ title }) => title ?? '',
  })
}

type NextPage<T> = (cursor?: string) => Promise<Page<T>>

interface Kind<T> {
  /** As the API says that there is none. */
  readonly code: string
  readonly what: string
  readonly next: NextPage<T>
  readonly nameOf: (item: T) => string
}

async function findId<T extends { id: string }>(
  given: string,
  { code, what, next, nameOf }: Kind<T>,
): Promise<string> {
  if (isWhole(given)) return given
  const found = await candidates(given, next)
  if (found.length === 1) return found[0]!.id
  if (found.length === 0) throw new DrawbridgeError(`there is no ${what} ${given}`, { code })
  const named = found.map((item) => `${shortId(item.id)} ${quoted(nameOf(item))}`)
  throw new UsageError(`${given} is not the only one: ${listed(named)}`)
}

const MAX_NAMED = 5
const MAX_NAME_COLUMNS = 30

function quoted(name: string): string {
  return `"${cutToColumns(visibleLine(name), MAX_NAME_COLUMNS)}"`
}

function listed(named: readonly string[]): string {
  const more = named.length - MAX_NAMED
  return `${named.slice(0, MAX_NAMED).join(', ')}${more > 0 ? `, … and ${more} more` : ''}`
}

/** Throws for what is too little of an id: it would fit whatever there is. */
function isWhole(given: string): boolean {
  if (WHOLE.test(given)) return true
  if (given.length < MIN_ID_LENGTH)
    throw new UsageError(`'${given}': give at least ${MIN_ID_LENGTH} characters of the id`)
  return false
}

async function candidates<T extends { id: string }>(given: string, next: NextPage<T>): Promise<T[]> {
  const found: T[] = []
  let cursor: string | undefined
  for (let page = 0; page < PAGES; page++) {
    const { items, cursor: following } = await next(cursor)
    found.push(...items.filter(({ id }) => id.startsWith(given) || id.endsWith(given)))
    if (following === null) break
    cursor = following
  }
  return found
}
