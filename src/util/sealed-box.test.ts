import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { makeSealKey, seal } from './sealed-box.ts'

describe('a sealed text', () => {
  it('is read by the holder of the key, whatever it says', () => {
    const key = makeSealKey()
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const sealed = seal(key.publicKey, text)
        expect(key.open(sealed)).toBe(text)
      }),
      { numRuns: 50 },
    )
  })

  it('does not contain what it says, and is another each time', () => {
    const { publicKey } = makeSealKey()
    const [one, other] = [seal(publicKey, 'hunter2 hunter2'), seal(publicKey, 'hunter2 hunter2')]
    expect(one).not.toBe(other)
    expect(Buffer.from(one, 'base64url').includes('hunter2')).toBe(false)
  })

  it('cannot be read with another key', () => {
    const sealed = seal(makeSealKey().publicKey, 'secret')
    expect(() => makeSealKey().open(sealed)).toThrow()
  })

  it('cannot be changed in any byte, nor cut', () => {
    const key = makeSealKey()
    const bytes = Buffer.from(seal(key.publicKey, 'secret'), 'base64url')
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes)
      changed[at]! ^= 1
      expect(() => key.open(changed.toString('base64url')), `byte ${at}`).toThrow()
    }
    for (const length of [0, 10, 32, 44, 59, bytes.length - 1])
      expect(() => key.open(bytes.subarray(0, length).toString('base64url')), `${length} bytes`).toThrow()
  })
})
