// Not a static import: an older Node would fail on the missing module before our own sentence about it is reached.
type Sqlite = typeof import('node:sqlite')

const { DatabaseSync: Database, backup }: Sqlite = process.getBuiltinModule('node:sqlite')

export type DatabaseSync = import('node:sqlite').DatabaseSync
export { backup, Database as DatabaseSync }
