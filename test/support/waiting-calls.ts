import { expect } from 'vitest'
import { connect, readToken } from '../../src/api/index.ts'

/** Resolves when so many streams and long polls are open at the service. */
export async function waitsOpen(
  { record, dataDir }: { record(): { url: string }; dataDir: string },
  count: number,
): Promise<void> {
  const open = async () => {
    const client = connect({ url: record().url, token: readToken(dataDir)!, actor: 'test' })
    const found = /^drawbridge_streams_open (\d+)$/m.exec(await client.metrics())
    return Number(found?.[1])
  }
  await expect.poll(open, { timeout: 30_000 }).toBe(count)
}
