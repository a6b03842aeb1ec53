// Text that only the holder of a private key can read: X25519 with a fresh key for each text, HKDF-SHA256, AES-256-GCM.
import {
  createCipheriv,
  createDecipheriv,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
} from 'node:crypto'

export interface SealKey {
  /** For `seal`, by others. */
  readonly publicKey: string
  /** Throws when the text was sealed for another key, or was changed. */
  open(sealed: string): string
}

const IV_BYTES = 12
const TAG_BYTES = 16
const KEY_BYTES = 32

/** The private key stays in this process. */
export function makeSealKey(): SealKey {
  const { publicKey, privateKey } = generateKeyPairSync('x25519')
  const own = rawOf(publicKey)
  return {
    publicKey: own.toString('base64url'),
    open(sealed) {
      const bytes = Buffer.from(sealed, 'base64url')
      const from = bytes.subarray(0, KEY_BYTES)
      const iv = bytes.subarray(KEY_BYTES, KEY_BYTES + IV_BYTES)
      const key = keyOf(diffieHellman({ privateKey, publicKey: publicKeyOf(from) }), from, own)
      const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES })
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
      const text = bytes.subarray(KEY_BYTES + IV_BYTES, -TAG_BYTES)
      return Buffer.concat([decipher.update(text), decipher.final()]).toString()
    },
  }
}

export function seal(publicKey: string, text: string): string {
  const to = Buffer.from(publicKey, 'base64url')
  const once = generateKeyPairSync('x25519')
  const from = rawOf(once.publicKey)
  const shared = diffieHellman({ privateKey: once.privateKey, publicKey: publicKeyOf(to) })
  // The key is used for this text alone, so its first iv can be the only one.
  const iv = Buffer.alloc(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', keyOf(shared, from, to), iv, { authTagLength: TAG_BYTES })
  const sealed = Buffer.concat([cipher.update(text), cipher.final()])
  return Buffer.concat([from, iv, sealed, cipher.getAuthTag()]).toString('base64url')
}

function keyOf(shared: Buffer, from: Buffer, to: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', shared, Buffer.concat([from, to]), 'drawbridge seal', KEY_BYTES))
}

function rawOf(key: KeyObject): Buffer {
  return Buffer.from(key.export({ format: 'jwk' }).x!, 'base64url')
}

function publicKeyOf(raw: Buffer): KeyObject {
  return createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'X25519', x: raw.toString('base64url') } })
}
