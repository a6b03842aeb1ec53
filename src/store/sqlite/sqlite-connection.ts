import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { type CompiledQuery, type DatabaseConnection, type QueryResult, SelectQueryNode } from 'kysely'

/** The log executes the same few texts thousands of times a second; what is not used drops out at the old end. */
const MAX_STATEMENTS = 128
/** A text as long as this (a list of thousands of values) is hardly ever the same twice. */
const MAX_KEPT_SQL_LENGTH = 64 * 1024

interface Prepared {
  readonly statement: StatementSync
  readonly hasRows: boolean
}

export class SqliteConnection implements DatabaseConnection {
  readonly #database: DatabaseSync
  readonly #prepared = new Map<string, Prepared>()

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  /** For what has neither parameters nor rows. */
  run(sql: string): void {
    this.#prepare(sql).statement.run()
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const { statement, hasRows } = this.#prepare(sql)
    const values = parameters as readonly SQLInputValue[]
    if (hasRows) return { rows: statement.all(...values) as R[] }
    const { changes, lastInsertRowid } = statement.run(...values)
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
  }

  /** A statement of its own: another use of a shared one would end this one's rows. */
  async *streamQuery<R>({ sql, parameters, query }: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    if (!SelectQueryNode.is(query)) throw new TypeError('only selects can be streamed')
    const rows = this.#database.prepare(sql).iterate(...(parameters as readonly SQLInputValue[]))
    for (const row of rows) yield { rows: [row as R] }
  }

  #prepare(sql: string): Prepared {
    const known = this.#prepared.get(sql)
    if (known) this.#prepared.delete(sql)
    const prepared = known ?? prepare(this.#database, sql)
    if (sql.length <= MAX_KEPT_SQL_LENGTH) this.#prepared.set(sql, prepared)
    if (this.#prepared.size > MAX_STATEMENTS) this.#prepared.delete(this.#prepared.keys().next().value!)
    return prepared
  }
}

function prepare(database: DatabaseSync, sql: string): Prepared {
  const statement = database.prepare(sql)
  // `pragma incremental_vacuum` has no columns, and yet frees one page for each row that is taken from it.
  return { statement, hasRows: statement.columns().length > 0 || /^\s*pragma\b/i.test(sql) }
}
