// PostgreSQL for the tests that ask for it. Nothing is started before.
import { offerPostgres, SOCKET_VARIABLE } from '../support/postgres/shared-server.ts'

/** Once for a run, however many projects it has. */
export default async function prepare(): Promise<(() => Promise<void>) | undefined> {
  if (process.env[SOCKET_VARIABLE]) return undefined
  return offerPostgres()
}
