// Kysely on node:sqlite. One connection, handed out in the order it was asked for; transactions take the write lock at
// their begin, because a read that becomes a write fails at once when another process has written meanwhile.
import type { DatabaseSync } from 'node:sqlite'
import {
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { SqliteConnection } from './sqlite-connection.ts'

export interface SqliteDialectOptions {
  readonly database: DatabaseSync
  /** `deferred` for a connection that only reads. */
  readonly begin: 'immediate' | 'deferred'
}

/** Closing Kysely closes the database, once what was asked for before has been done. */
export function sqliteDialect(options: SqliteDialectOptions): Dialect {
  return {
    createDriver: () => new SqliteDriver(options),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new Adapter(),
    createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
  }
}

class Adapter extends SqliteAdapter {
  /** Not so, but then Kysely leaves the queueing to the driver: its own wakes every waiter for each turn. */
  override get supportsMultipleConnections(): boolean {
    return true
  }

  /** SQLite can, and with it all migrations happen or none. */
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

class SqliteDriver implements Driver {
  readonly #database: DatabaseSync
  readonly #begin: string
  readonly #connection: SqliteConnection
  readonly #waiting: (() => void)[] = []
  #isTaken = false

  constructor({ database, begin }: SqliteDialectOptions) {
    this.#database = database
    this.#begin = `begin ${begin}`
    this.#connection = new SqliteConnection(database)
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    if (this.#isTaken) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#isTaken = true
    return this.#connection
  }

  async releaseConnection(): Promise<void> {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#isTaken = false
  }

  async beginTransaction(): Promise<void> {
    this.#connection.run(this.#begin)
  }

  async commitTransaction(): Promise<void> {
    this.#connection.run('commit')
  }

  /** SQLite has already rolled back after some errors (disk full); a second time would hide the first error. */
  async rollbackTransaction(): Promise<void> {
    if (this.#database.isTransaction) this.#connection.run('rollback')
  }

  async savepoint(_: DatabaseConnection, name: string): Promise<void> {
    this.#connection.run(`savepoint ${quote(name)}`)
  }

  async rollbackToSavepoint(_: DatabaseConnection, name: string): Promise<void> {
    this.#connection.run(`rollback to ${quote(name)}`)
  }

  async releaseSavepoint(_: DatabaseConnection, name: string): Promise<void> {
    this.#connection.run(`release ${quote(name)}`)
  }

  async destroy(): Promise<void> {
    await this.acquireConnection()
    this.#database.close()
    await this.releaseConnection()
  }
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
