import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { boundaryOf, readMultipart } from './multipart.ts'

async function* cutAt(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let at = 0
  for (const size of sizes) {
    yield bytes.subarray(at, at + size)
    at += size
  }
  yield bytes.subarray(at)
}

async function partsOf(bytes: Buffer, boundary = 'x', sizes: readonly number[] = []) {
  const found = []
  for await (const { field, filename, body } of readMultipart(cutAt(bytes, sizes), boundary)) {
    const chunks = []
    for await (const chunk of body) chunks.push(chunk)
    found.push({ field, filename, content: Buffer.concat(chunks) })
  }
  return found
}

const form = (...lines: string[]) => Buffer.from(lines.join('\r\n'))

describe('a form', () => {
  it('is what FormData makes of it, however it is cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.string({ unit: 'grapheme', minLength: 1 }), fc.uint8Array({ maxLength: 300 })), {
          minLength: 1,
          maxLength: 4,
        }),
        fc.array(fc.nat(200), { maxLength: 10 }),
        async (files, sizes) => {
          const data = new FormData()
          for (const [name, content] of files) data.append('file', new Blob([content]), name)
          const response = new Response(data)
          const boundary = boundaryOf(response.headers.get('content-type')!)!
          const parts = await partsOf(Buffer.from(await response.arrayBuffer()), boundary, sizes)
          expect(parts).toEqual(
            files.map(([filename, content]) => ({
              field: 'file',
              filename: filename.toWellFormed(),
              content: Buffer.from(content),
            })),
          )
        },
      ),
      { numRuns: 60 },
    )
  })

  it('may have other names, spaces after a boundary, and parts that nobody reads', async () => {
    const bytes = form(
      ...['before', '--x \t', 'Content-Disposition: form-data; name="a"', '', 'skipped', '--x'],
      ...[
        'content-disposition: form-data; name=b; filename*=UTF-8\'\'na%C3%AFve.txt; filename="other"',
        '',
        '--xy',
        '--x--',
        '',
      ],
    )
    const seen = []
    for await (const { field, filename } of readMultipart(cutAt(bytes, [3, 5, 20]), 'x'))
      seen.push([field, filename])
    expect(seen).toEqual([
      ['a', null],
      ['b', 'naïve.txt'],
    ])
    expect((await partsOf(bytes))[1]!.content.toString()).toBe('--xy')
  })

  it.each([
    [form('--x', 'Content-Disposition: form-data; name="a"', '', 'half'), 'incomplete'],
    [form('--x', 'Content-Disp'), 'incomplete'],
    [form(''), 'incomplete'],
    [form('--x', 'Content-Type: text/plain', '', 'a', '--x--'), 'malformed'],
    [form('--xylophone', 'Content-Disposition: form-data', '', 'a', '--x--'), 'malformed'],
    [Buffer.concat([form('--x', ''), Buffer.alloc(40_000, 'a')]), 'malformed'],
  ])('that is not one is refused: %#', async (bytes, code) => {
    await expect(partsOf(bytes)).rejects.toMatchObject({ code })
  })

  it('has a boundary of up to 70 printable characters', () => {
    expect(boundaryOf('multipart/form-data; boundary="a b"; x=1')).toBe('a b')
    expect(boundaryOf('multipart/form-data; charset=x; boundary=--abc')).toBe('--abc')
    for (const bad of [
      'multipart/form-data',
      'multipart/form-data; boundary=',
      `multipart/form-data; boundary=${'x'.repeat(71)}`,
    ])
      expect(boundaryOf(bad)).toBeNull()
  })
})
