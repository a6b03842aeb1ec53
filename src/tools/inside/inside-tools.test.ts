import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { callTool, type Tool } from '../../codex/index.ts'
import { type InsideTools, insideTools } from './index.ts'

function stage(hearers: InsideTools) {
  const tools = new Map(insideTools(hearers).map((tool) => [tool.name, tool]))
  const call = async (name: string, given: object, signal = new AbortController().signal) => {
    const place = { threadId: 'th', turnId: 'tu', subAgentId: null, callId: 'c', signal, now: Date.now }
    const result = await callTool(tools.get(name) as Tool, given, { ...place, onCall: () => {} })
    const [piece] = result.content
    return piece?.type === 'text' ? piece.text : JSON.stringify(result.structured)
  }
  return { call, names: [...tools.keys()] }
}

it('gives the model a tool for each that hears, and no other', () => {
  const hear = () => {}
  expect(stage({ status: hear }).names).toEqual(['status'])
  const deliver = { folders: ['/'], take: async () => 'kept' }
  const all = stage({ deliver, status: hear, attention: hear, openUrl: hear, tellCaller: hear })
  expect(all.names).toEqual(['deliver', 'status', 'attention', 'open_url', 'tell_caller'])
})

it('passes on what the model says, cut and cleaned, and refuses what people should not see', async () => {
  const heard: unknown[] = []
  const hear = (said: unknown) => void heard.push(said)
  const { call } = stage({ status: hear, attention: hear, openUrl: hear, tellCaller: hear })
  await call('status', { text: ` a\n\u001b[31mb\u202e ${'x'.repeat(300)}`, percent: -4 })
  await call('status', { text: 'half', percent: null })
  await call('attention', { reason: '  look\nhere ' })
  expect(await call('attention', { reason: ' ' })).toContain('say why')
  await call('open_url', { url: ' https://example.org/a?b=ü ' })
  for (const url of ['ftp://x/', 'javascript:alert(1)', 'example.org', `https://x/${'a'.repeat(2_000)}`, ''])
    expect(await call('open_url', { url })).toContain('url')
  expect(await call('tell_caller', { name: 'a b' })).toContain('letters, digits')
  expect(await call('tell_caller', { name: 'a', data: 'x'.repeat(20_000) })).toContain('data is larger than')
  expect(await call('tell_caller', { name: 'a.b', data: [1] })).toBe('sent; there is no answer yet')
  const [first, ...rest] = heard as [{ text: string; percent: number }]
  expect(first.percent).toBe(0)
  expect(first.text).toMatch(/^a b x+…$/)
  expect(first.text).toHaveLength(200)
  expect(rest).toEqual([
    { text: 'half', percent: null },
    'look\nhere',
    'https://example.org/a?b=%C3%BC',
    { name: 'a.b', data: [1] },
  ])
})

it('gives the model the answer of the program, and the reason of a refusal', async () => {
  const { call } = stage({
    tellCaller: ({ data }) => {
      if (data === 'bad') throw new Error('the program does not know that')
      return { price: 12 }
    },
  })
  expect(await call('tell_caller', { name: 'price', data: 7 })).toBe('{"answer":{"price":12}}')
  expect(await call('tell_caller', { name: 'price', data: 'bad' })).toBe('the program does not know that')
})

it('stops copying a file when the call is cancelled', async () => {
  const ending = new AbortController()
  const closed = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<unknown>()
  const { call } = stage({
    deliver: {
      folders: ['/'],
      // As a host that says nothing any more.
      open: async () => ({
        ...{ path: 'a', bytes: 9 },
        read: async function* () {
          yield Buffer.from('a')
          ending.abort()
          await closed.promise
          throw new Error('it was closed')
        },
        close: async () => closed.resolve(),
      }),
      take: async ({ read }) => {
        try {
          for await (const _ of read());
          return 'kept'
        } catch (error) {
          ended.resolve(error)
          throw error
        }
      },
    },
  })
  await call('deliver', { path: 'a', title: 'A' }, ending.signal)
  expect(await ended.promise).toMatchObject({ message: 'it was closed' })
})

it('slows a model in a loop down', async () => {
  let heard = 0
  const { call } = stage({ status: () => heard++ })
  const ending = new AbortController()
  const calls = Array.from({ length: 50 }, () => call('status', { text: 'x' }, ending.signal))
  await Promise.all(calls.slice(0, 5))
  ending.abort()
  const told = await Promise.all(calls)
  expect(told.filter((text) => text === 'shown')).toHaveLength(heard)
  expect(heard).toBeLessThan(8)
})

it('opens a file for the program, which keeps it, and closes it after', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'handed-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await writeFile(path.join(folder, 'a.txt'), 'hello')
  const kept: unknown[] = []
  const { call } = stage({
    deliver: {
      folders: async () => [folder],
      maxBytes: 5,
      take: async ({ read, ...file }) => {
        let text = ''
        for await (const chunk of read()) text += Buffer.from(chunk).toString()
        kept.push({ text, path: file.path, title: file.title, note: file.note, bytes: file.bytes })
        return `kept ${kept.length}`
      },
    },
  })
  expect(await call('deliver', { path: 'a.txt', title: 'A', note: 'first' })).toBe('kept 1')
  expect(await call('deliver', { path: path.join(folder, 'a.txt'), title: ' ', note: null })).toBe('kept 2')
  expect(kept).toEqual([
    { text: 'hello', path: 'a.txt', title: 'A', note: 'first', bytes: 5 },
    { text: 'hello', path: 'a.txt', title: 'a.txt', note: null, bytes: 5 },
  ])
  await writeFile(path.join(folder, 'a.txt'), 'hello!')
  expect(await call('deliver', { path: 'a.txt', title: 'A' })).toContain('at most 5')
  expect(await call('deliver', { path: '../x', title: 'A' })).toContain('not in the folder')
  expect(await call('deliver', { title: 'A' })).toContain('bad arguments')
})
