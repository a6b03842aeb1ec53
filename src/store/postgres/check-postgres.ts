// Looks over a whole PostgreSQL database without changing it. References and the files themselves are the server's
// matter: what is left are our own rules.
import { type Kysely, sql } from 'kysely'
import type { Migrations } from '../migrate.ts'
import { MIGRATIONS } from '../migrations/index.ts'
import type { Database } from '../schema.ts'
import { StoreError } from '../store-errors.ts'
import { findBrokenRules } from '../upkeep/broken-rules.ts'
import { type Finding, MAX_FINDINGS, schemaFindings } from '../upkeep/finding.ts'
import { shownUrl } from './address.ts'
import { doneInPostgres } from './migrate-postgres.ts'
import { POSTGRES_DEFAULTS, UNLIMITED } from './open-postgres.ts'
import { openPool } from './pool.ts'

/** Of 4 KB each, 8 MB. */
const FRAMES_PER_PAGE = 2_000

/** Empty: all is well. Reads every event, beside running services if need be. */
export async function checkPostgres(url: string, migrations: Migrations = MIGRATIONS): Promise<Finding[]> {
  const db = await openPool({ url, ...POSTGRES_DEFAULTS, poolSize: 1, ...UNLIMITED })
  try {
    const done = await doneInPostgres(db)
    if (done.length === 0)
      throw new StoreError('database-not-found', `there is no store in ${shownUrl(url)} yet`)
    const schema = schemaFindings(done, migrations)
    if (schema.length > 0) return schema // the rest is about tables of this version
    const findings = [...(await findBrokenRules(db)), ...(await findBadFrames(db))]
    return findings.slice(0, MAX_FINDINGS)
  } finally {
    await db.destroy()
  }
}

/** PostgreSQL can tell what is JSON only from 16 on. */
async function findBadFrames(db: Kysely<Database>): Promise<Finding[]> {
  const findings: Finding[] = []
  let after = { task_id: '', seq: 0 }
  for (;;) {
    const page = await db
      .selectFrom('events')
      .select(['task_id', 'seq', 'frame'])
      .where(sql<boolean>`(task_id, seq) > (${after.task_id}, ${after.seq})`)
      .orderBy('task_id')
      .orderBy('seq')
      .limit(FRAMES_PER_PAGE)
      .execute()
    for (const { task_id, seq, frame } of page)
      if (!isJson(frame)) findings.push({ kind: 'rule', message: `event ${task_id} ${seq} is not JSON` })
    if (page.length < FRAMES_PER_PAGE || findings.length >= MAX_FINDINGS) return findings
    after = page.at(-1)!
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
