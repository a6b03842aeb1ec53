import type { Kysely } from 'kysely'
import type { Database } from './schema.ts'

/** The store's tables, read or written through a connection or in a transaction. */
export type Db = Kysely<Database>
