// The key that stored logins are sealed with.
import path from 'node:path'
import { type KeySource, readKey } from '../util/key-source.ts'
import { AccountError } from './account-error.ts'

export type { KeySource } from '../util/key-source.ts'

export function keyFile(dataDir: string): string {
  return path.join(dataDir, 'account-key')
}

/** `mayMake`: nothing is sealed yet, so a new key loses nothing. Only a file is made. */
export function readAccountKey(
  source: KeySource,
  { dataDir, ...how }: { readonly dataDir: string; readonly mayMake: boolean; readonly commandMs?: number },
): Promise<Buffer> {
  return readKey(source, {
    ...how,
    file: keyFile(dataDir),
    whenMissing:
      ', and there are logins that were sealed with it: put it back from a backup, or remove those accounts',
    fail: (why) => new AccountError('account-key', `the key for stored logins cannot be had: ${why}`),
  })
}
