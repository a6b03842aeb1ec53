// Our own events of all tasks, as other workers find them. PostgreSQL only.
//
// A cursor is a snapshot of the database: what has been stored since is what was not visible in it and is now. So
// nothing is missed when transactions commit in another order than they began, and no open transaction holds it up.
import { sql } from 'kysely'
import type { Db } from '../db.ts'
import { databaseTime } from '../dialect.ts'
import type { TaskEvent } from '../task-event.ts'

/** In the transaction that stores these events, after they have their sequences. */
export async function insertFeed(
  db: Db,
  { origin, events }: { origin: string; events: readonly { task_id: string; seq: number }[] },
): Promise<void> {
  if (events.length === 0) return
  const taskIds = events.map(({ task_id }) => task_id)
  const seqs = events.map(({ seq }) => seq)
  await sql`insert into feed (xact, at, origin, task_id, seq)
    select pg_current_xact_id()::text::bigint, ${databaseTime(db)}, ${origin}, task_id, seq
    from unnest(${taskIds}::text[], ${seqs}::bigint[]) with ordinality as stored (task_id, seq, place)
    order by place`.execute(db)
}

/** Where to begin: everything visible now is old. */
export async function feedStart(db: Db): Promise<{ snapshot: string; now: number }> {
  const { rows } = await sql<{ snapshot: string; now: number }>`
    select pg_current_snapshot()::text as snapshot, ${databaseTime(db)} as now`.execute(db)
  return rows[0]!
}

export interface FeedRange {
  /** A cursor. */
  readonly since: string
  /** Of the pages after the first: the cursor that the first one gave, and the last id so far. */
  readonly upTo: string | null
  readonly afterId: number
  /** Events of this process are left out. */
  readonly except: string
  readonly limit: number
}

export interface FeedPage {
  /** Those of each task in the order of their sequences. Events that are gone are left out. */
  readonly events: readonly TaskEvent[]
  /** What follows them; null: that was all. */
  readonly lastId: number | null
  /** The cursor to go on from when all pages have been read. */
  readonly snapshot: string
  readonly now: number
}

/** What has been stored between two cursors, or since one. */
export async function feedPage(db: Db, range: FeedRange): Promise<FeedPage> {
  const { since, upTo, afterId, except, limit } = range
  // Of a restored database: transactions of another server, which this one has not come to, are not visible.
  const { rows } = await sql<FeedResult>`with fresh as (
      select id, task_id, seq from feed
      where xact >= pg_snapshot_xmin(${since}::pg_snapshot)::text::bigint
        and not pg_visible_in_snapshot(xact::text::xid8, ${since}::pg_snapshot)
        and pg_visible_in_snapshot(xact::text::xid8, coalesce(${upTo}::pg_snapshot, pg_current_snapshot()))
        and id > ${afterId} and origin <> ${except}
      order by id limit ${limit})
    select pg_current_snapshot()::text as snapshot, ${databaseTime(db)} as now,
      fresh.id, fresh.task_id, fresh.seq, events.at, events.method, events.frame
    from (select 1) as always left join fresh on true
      left join events on events.task_id = fresh.task_id and events.seq = fresh.seq
    order by fresh.id`.execute(db)
  const { snapshot, now } = rows[0]!
  const lastId = rows.length < limit ? null : rows.at(-1)!.id
  return { events: rows.flatMap(toEvent), lastId, snapshot: upTo ?? snapshot, now }
}

/** The oldest of those stored longer ago than this, a limited number. Resolves to how many they were. */
export async function pruneFeed(db: Db, { ageMs, limit }: { ageMs: number; limit: number }): Promise<number> {
  const { numAffectedRows } = await sql`delete from feed where id in (
      select id from (select id, at from feed order by id limit ${limit} for update skip locked) as oldest
      where at < ${databaseTime(db)} - ${ageMs}::bigint)`.execute(db)
  return Number(numAffectedRows ?? 0)
}

interface FeedResult {
  readonly snapshot: string
  readonly now: number
  readonly id: number | null
  readonly task_id: string
  readonly seq: number
  readonly at: number
  readonly method: string
  readonly frame: string | null
}

function toEvent({ task_id: taskId, seq, at, method, frame }: FeedResult): TaskEvent[] {
  return frame === null ? [] : [{ taskId, seq, at, method, frame }]
}
