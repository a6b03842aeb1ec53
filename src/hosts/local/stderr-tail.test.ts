import { expect, it } from 'vitest'
import { StderrTail } from './stderr-tail.ts'

it('keeps the newest lines, whole ones and the one being written', () => {
  const tail = new StderrTail()
  tail.push(Buffer.from('one\r\n\ntw'))
  expect(tail.last()).toEqual(['one', 'tw'])
  tail.push(Buffer.from('o\nthree'))
  tail.end()
  expect(tail.last()).toEqual(['one', 'two', 'three'])
  expect(tail.last(2)).toEqual(['two', 'three'])
  expect(tail.last(0)).toEqual([])
})

it('is bounded in lines and in the length of a line', () => {
  const tail = new StderrTail()
  for (let i = 0; i < 5000; i++) tail.push(Buffer.from(`line ${i}\n`))
  expect(tail.last(9999)).toHaveLength(500)
  expect(tail.last(1)).toEqual(['line 4999'])
  for (let i = 0; i < 100; i++) tail.push(Buffer.alloc(1000, 'x'))
  tail.push(Buffer.from('\nafter\n'))
  expect(tail.last(2)).toEqual(['x'.repeat(8192), 'after'])
})

it('replaces what is not UTF-8, joins characters cut by a chunk, and removes colours', () => {
  const tail = new StderrTail()
  const text = Buffer.from('\x1b[31mÄrger\x1b[0m ')
  tail.push(text.subarray(0, 6))
  tail.push(text.subarray(6))
  tail.push(Buffer.from([0xff, 0x0a]))
  expect(tail.last()).toEqual(['Ärger \ufffd'])
})
