// Looks over a whole database without changing it, beside a running service if need be.
import { type Kysely, sql } from 'kysely'
import { doneMigrations, type Migrations } from '../migrate.ts'
import { MIGRATIONS } from '../migrations/index.ts'
import type { Database } from '../schema.ts'
import { StoreError } from '../store-errors.ts'
import { findBrokenRules } from '../upkeep/broken-rules.ts'
import { type Finding, MAX_FINDINGS, schemaFindings } from '../upkeep/finding.ts'
import { sizeOf } from './soundness.ts'
import { isDamage } from './sqlite-error.ts'
import { openReader, type SqliteFile } from './sqlite-file.ts'
import { unusableIfRefused } from './unusable.ts'

/** Empty: all is well. Reads every page, so it takes a second or more for each gigabyte. */
export async function checkDatabase(file: string, migrations: Migrations = MIGRATIONS): Promise<Finding[]> {
  if ((await sizeOf(file)) === null)
    throw new StoreError('database-not-found', `there is no database at ${file}`)
  let opened: SqliteFile | null = null
  const findings: Finding[] = []
  try {
    opened = openReader(file)
    for (const look of [findDamage, findBadSchema, findBadReferences, findBrokenRules]) {
      findings.push(...(await look(opened.db, migrations)))
      if (findings.some(({ kind }) => kind === 'schema')) break // the rest is about tables of this version
    }
  } catch (error) {
    if (!isDamage(error)) throw unusableIfRefused(file, error)
    findings.push({ kind: 'damage', message: (error as Error).message })
  } finally {
    await opened?.close()
  }
  return findings.slice(0, MAX_FINDINGS)
}

async function findDamage(db: Kysely<Database>): Promise<Finding[]> {
  const check = sql<{ integrity_check: string }>`pragma integrity_check(${sql.lit(MAX_FINDINGS)})`
  const { rows } = await check.execute(db)
  const messages = rows.map((row) => row.integrity_check).filter((message) => message !== 'ok')
  return messages.map((message) => ({ kind: 'damage', message }))
}

async function findBadSchema(db: Kysely<Database>, migrations: Migrations): Promise<Finding[]> {
  return schemaFindings(await doneMigrations(db), migrations)
}

async function findBadReferences(db: Kysely<Database>): Promise<Finding[]> {
  const { rows } = await sql<{
    table: string
    rowid: number
    parent: string
  }>`pragma foreign_key_check`.execute(db)
  return rows.map(({ table, rowid, parent }) => ({
    kind: 'reference',
    message: `row ${rowid} of ${table} refers to one of ${parent} that is not there`,
  }))
}
