import { expect, it } from 'vitest'
import { asText, imageType, previewOf } from './preview.ts'

const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'latin1'))

it('an image is one by its first bytes; a drawing with scripts is text', () => {
  expect(
    [bytes('\x89PNG\r\n\x1a\n'), bytes('\xff\xd8\xff\xe0'), bytes('GIF89a'), bytes('RIFFxxxxWEBP')].map(
      imageType,
    ),
  ).toEqual(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])
  expect([bytes('<svg onload="x">'), bytes('%PDF-1.7'), bytes('')].map(imageType)).toEqual([null, null, null])
})

it('text is UTF-8 without NUL, also when it is cut in a character', async () => {
  const text = new TextEncoder().encode('naïve €')
  expect(asText(text)).toBe('naïve €')
  expect(asText(text.subarray(0, -1))).toBe('naïve ')
  expect([asText(bytes('a\0b')), asText(bytes('\xff\xfe'))]).toEqual([null, null])
  expect(await previewOf(async () => text, 9_000_000)).toEqual({ kind: 'text', text: 'naïve €', isCut: true })
  expect(await previewOf(async () => bytes('GIF89a'), 9_000_000)).toEqual({ kind: 'large-image' })
})
