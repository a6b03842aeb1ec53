import { type Kysely, sql } from 'kysely'
import { isPostgres } from '../dialect.ts'
import type { Database } from '../schema.ts'
import { type Finding, MAX_FINDINGS } from './finding.ts'
import { INVARIANTS } from './invariants.ts'

export async function findBrokenRules(db: Kysely<Database>): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const { table, id, broken, isSqliteOnly, says } of INVARIANTS) {
    if (isSqliteOnly && isPostgres(db)) continue
    const select = `select distinct ${id} as id from ${table} where ${broken} limit ${MAX_FINDINGS}`
    const { rows } = await sql.raw<{ id: string }>(select).execute(db)
    findings.push(...rows.map((row): Finding => ({ kind: 'rule', message: says(row.id) })))
  }
  return findings
}
