import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { LineSplitter } from './line-splitter.ts'

type Event = string | { oversize: number }

function collect(maxLineBytes = 1024): { splitter: LineSplitter; events: Event[] } {
  const events: Event[] = []
  const receiver = {
    line: (text: string) => void events.push(text),
    oversize: (bytes: number) => void events.push({ oversize: bytes }),
  }
  return { splitter: new LineSplitter(receiver, maxLineBytes), events }
}

function split(chunks: readonly Buffer[], maxLineBytes?: number): Event[] {
  const { splitter, events } = collect(maxLineBytes)
  for (const chunk of chunks) splitter.push(chunk)
  splitter.end()
  return events
}

/** Cuts bytes at the given fractions. */
function cut(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const borders = [0, ...cuts.map((at) => Math.floor(at * bytes.length)).sort((a, b) => a - b), bytes.length]
  return borders.slice(1).map((end, index) => bytes.subarray(borders[index], end))
}

/** What buffers hold after a collection; V8 gives their memory back on another thread, a little later. */
function heldBytes(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().arrayBuffers
}

const anyLine = fc.string({ unit: 'grapheme', maxLength: 60 }).filter((text) => !/[\r\n]/.test(text))
const anyCuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 30 })

describe('LineSplitter', () => {
  it('gives the same lines for any chunking, with UTF-8 split anywhere', () => {
    fc.assert(
      fc.property(fc.array(anyLine), anyCuts, (lines, cuts) => {
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''))
        expect(split(cut(bytes, cuts))).toEqual(lines.filter((line) => line !== ''))
      }),
    )
  })

  it('reports the same oversize lines for any chunking and goes on behind them', () => {
    fc.assert(
      fc.property(fc.array(anyLine), anyCuts, fc.integer({ min: 1, max: 40 }), (lines, cuts, cap) => {
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''))
        const expected = lines
          .filter((line) => line !== '')
          .map((line) => (Buffer.byteLength(line) > cap ? { oversize: Buffer.byteLength(line) } : line))
        expect(split(cut(bytes, cuts), cap)).toEqual(expected)
      }),
    )
  })

  it('cuts a carriage return and keeps a last line that has no newline', () => {
    expect(split([Buffer.from('a\r\n\r\nb')])).toEqual(['a', 'b'])
  })

  it('holds no more than the cap of a line that never ends', async () => {
    const { splitter, events } = collect(1024)
    const before = heldBytes()
    for (let index = 0; index < 500; index++) splitter.push(Buffer.alloc(64 * 1024, 'x'))
    await vi.waitFor(() => expect(heldBytes() - before).toBeLessThan(1024 * 1024), 5000)
    splitter.push(Buffer.from('\nnext\n'))
    expect(events).toEqual([{ oversize: 500 * 64 * 1024 }, 'next'])
  })

  it('does work in proportion to the bytes when a long line comes in tiny chunks', () => {
    const copied = (bytes: number) => {
      const { splitter, events } = collect(Number.MAX_SAFE_INTEGER)
      const concat = Buffer.concat
      let joined = 0
      Buffer.concat = (list, length) => {
        joined += length ?? 0
        return concat(list, length)
      }
      try {
        for (let at = 0; at < bytes; at += 16) splitter.push(Buffer.alloc(16, 'x'))
        splitter.push(Buffer.from('\n'))
      } finally {
        Buffer.concat = concat
      }
      expect(events).toHaveLength(1)
      return joined
    }
    expect(copied(64_000)).toBe(64_000)
    expect(copied(640_000)).toBe(640_000)
  })
})
