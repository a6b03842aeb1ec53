import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it, onTestFinished } from 'vitest'
import { TransportClosedError } from '../../codex/index.ts'
import { Reading } from '../fixtures/reading.ts'
import { fixture } from '../fixtures/scratch.ts'
import { StdioChannel } from './stdio-channel.ts'

function start(plan: object, maxLineBytes = 1024) {
  const child = spawn(process.execPath, [fixture('fake-codex.mjs')], {
    env: { PATH: process.env.PATH, FAKE_CODEX: JSON.stringify(plan) },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return { child, channel: new StdioChannel(child, { maxLineBytes }) }
}

describe('a channel over stdio', () => {
  it('carries lines both ways', async () => {
    const { channel } = start({ echoes: true })
    const reading = new Reading(channel)
    channel.send('{"a":1}')
    channel.send('lone surrogate \ud800, umlaut ä')
    expect(await reading.lineWith('umlaut')).toBe('lone surrogate \ufffd, umlaut ä')
    expect(reading.lines[0]).toBe('{"a":1}')
  })

  it('refuses a line that would become two', () => {
    const { channel } = start({ echoes: true })
    expect(() => channel.send('{}\n{}')).toThrow(/line break/)
    expect(() => channel.send('{}\r')).toThrow(/line break/)
  })

  it('delivers what came before its reader, though the process has ended meanwhile', async () => {
    const { child, channel } = start({ stdout: ['one\ntwo\n', 'three'], exitCode: 0 })
    await once(child, 'exit')
    await channel.drained
    const reading = new Reading(channel)
    expect(reading.lines).toEqual(['one', 'two', 'three'])
    expect((await reading.end()).message).toBe('codex exited with code 0')
  })

  it('has one reader', () => {
    const { channel } = start({})
    new Reading(channel)
    expect(() => new Reading(channel)).toThrow(/already has a reader/)
  })

  it('skips and reports a line over the cap', async () => {
    const { channel } = start({ stdout: [`${'x'.repeat(5000)}\nnext\n`] })
    const reading = new Reading(channel)
    await reading.lineWith('next')
    expect(reading.lines).toEqual(['next'])
    expect(reading.oversizes).toEqual([5000])
  })
})

describe('the end of the process', () => {
  it('comes after its last line, with the exit code and the last of stderr', async () => {
    const stderr = Array.from({ length: 40 }, (_, index) => `line ${index}\n`)
    const { channel } = start({
      stdout: ['x\n'.repeat(20_000)],
      stderr: [...stderr, 'Error: broken'],
      exitCode: 7,
    })
    const reading = new Reading(channel)
    const reason = await reading.end()
    expect(reading.lines).toHaveLength(20_000)
    expect(reason).toBeInstanceOf(TransportClosedError)
    expect(reason.message).toBe('codex exited with code 7')
    expect(reason.stderrTail).toHaveLength(12)
    expect(reason.stderrTail.at(-1)).toBe('Error: broken')
    expect(channel.stderrTail()).toHaveLength(41)
  })

  it('names the signal', async () => {
    const { child, channel } = start({ stdout: ['ready\n'] })
    const reading = new Reading(channel)
    await reading.lineWith('ready')
    child.kill('SIGKILL')
    expect((await reading.end()).message).toBe('codex was ended by SIGKILL')
  })

  it('is told within bounds when a grandchild holds the pipe', async () => {
    const { channel } = start({
      starts: [{ script: 'sleep 4', sharesStdout: true }],
      stdout: ['last\n'],
      exitCode: 1,
    })
    const startedAt = performance.now()
    const reading = new Reading(channel)
    await reading.end()
    expect(reading.lines).toEqual(['last'])
    expect(performance.now() - startedAt).toBeLessThan(3500)
  })

  it('loses nothing when our event loop was blocked meanwhile', async () => {
    const { child, channel } = start({ stdout: ['y\n'.repeat(30_000)], exitCode: 0 })
    const reading = new Reading(channel)
    await once(child, 'exit')
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1100)
    await reading.end()
    expect(reading.lines).toHaveLength(30_000)
  })
})

describe('writing to a process that does not read', () => {
  it('neither throws nor hides the exit behind EPIPE', async () => {
    const { child, channel } = start({ stdout: ['ready\n'] })
    const reading = new Reading(channel)
    await reading.lineWith('ready')
    child.kill('SIGKILL')
    for (let i = 0; i < 100; i++) channel.send('x'.repeat(10_000))
    expect((await reading.end()).message).toBe('codex was ended by SIGKILL')
    channel.send('after the end')
  })

  it('closes the channel when it lives on', async () => {
    const { channel } = start({ closesInput: true, stdout: ['ready\n'] })
    const reading = new Reading(channel)
    await reading.lineWith('ready')
    const sending = setInterval(() => channel.send('hello'), 20)
    const reason = await reading.end()
    clearInterval(sending)
    expect(reason.message).toMatch(/takes no more input \(EPIPE\)/)
  })
})

it('tells its reader once when we close it, and nothing after', async () => {
  const { child, channel } = start({ echoes: true })
  const reading = new Reading(channel)
  channel.send('late')
  const ours = new TransportClosedError('ours')
  channel.close(ours)
  channel.close(new TransportClosedError('again'))
  channel.send('dropped')
  await once(child, 'exit')
  await channel.drained
  expect(reading.reasons).toEqual([ours])
  expect(reading.lines).toEqual([])
})
