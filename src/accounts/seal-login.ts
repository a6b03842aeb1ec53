// A stored login is sealed with AES-256-GCM. The seal covers the account and the version: a login cannot be put into
// another row, or back into its own after a newer one.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { AccountError } from './account-error.ts'

/** What is stored of an account's login. */
export interface StoredLogin {
  /** The bytes of auth.json. */
  readonly auth: string
  /** The config.toml that was captured with it; null: a minimal one is used. */
  readonly config: string | null
}

export interface SealedFor {
  readonly accountId: string
  readonly version: number
}

const FORMAT = 'v1.'
const NONCE_BYTES = 12
const TAG_BYTES = 16

export function sealLogin(login: StoredLogin, key: Buffer, place: SealedFor): string {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(placeText(place))
  const sealed = Buffer.concat([cipher.update(JSON.stringify(login)), cipher.final()])
  return FORMAT + Buffer.concat([nonce, sealed, cipher.getAuthTag()]).toString('base64url')
}

/** Throws `account-key` when it was sealed with another key, or changed since. */
export function openLogin(text: string, key: Buffer, place: SealedFor): StoredLogin {
  try {
    if (!text.startsWith(FORMAT)) throw new Error('another format')
    const bytes = Buffer.from(text.slice(FORMAT.length), 'base64url')
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    })
    decipher.setAAD(placeText(place))
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
    const opened = [decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]
    return JSON.parse(Buffer.concat(opened).toString()) as StoredLogin
  } catch {
    throw new AccountError(
      'account-key',
      'the stored login cannot be opened: the key is not the one it was sealed with, or the database was changed. ' +
        'Nothing was overwritten. Put the right key in place (file account-key in the data folder, accounts.key in ' +
        'the settings), or remove the account and add it again',
    )
  }
}

function placeText({ accountId, version }: SealedFor): Buffer {
  return Buffer.from(`drawbridge account ${accountId} ${version}`)
}
