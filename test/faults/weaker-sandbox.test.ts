// Codex opens a thread with more rights than it was asked for, or in a folder where they could not be held.
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { UnsafeFolderError, WeakerSandboxError } from '../../src/codex/index.ts'
import { fake, message } from '../../src/testing/index.ts'
import { openClient } from '../support/open-client.ts'
import { fakeHost } from './fake-host.ts'
import { rejection } from './processes.ts'

const settings = {
  thread: { id: 'thread-1' },
  cwd: '/',
  approvalPolicy: 'on-request',
  sandbox: { type: 'readOnly', networkAccess: false },
}

describe.concurrent('a thread that came with', () => {
  it.each([
    ['no profile', { activePermissionProfile: null }, 'no permission profile'],
    ['a profile of others', { activePermissionProfile: { id: ':workspace' } }, ':workspace'],
    ['full access', { sandbox: { type: 'dangerFullAccess' } }, 'dangerFullAccess'],
  ])('%s is not used, and let go of', async (_, reply, said) => {
    const opening = fake.once('thread/start', fake.reply({ ...settings, ...reply }))
    await using host = await fakeHost({ steps: [opening] })
    const codex = await host.open()
    const error = await rejection(codex.startThread({ cwd: '/' }))
    expect(error).toBeInstanceOf(WeakerSandboxError)
    expect(error).toMatchObject({ code: 'weaker-sandbox', message: expect.stringContaining(said) })
    await host.program.waitFor(
      ({ event, ...rest }) =>
        event === 'received' &&
        (rest as { message?: { method?: string } }).message?.method === 'thread/unsubscribe',
    )
    expect(codex.openThreads).toBe(0)
  })
})

describe.concurrent('a confined thread that codex opened', () => {
  it.each([
    ['under a profile of another process', 'drawbridge-0123456789ab-access-0123456789ab-open'],
    ['under one of the user', ':read-only'],
  ])('%s is not used', async (_, id) => {
    const activePermissionProfile = { id }
    const opening = fake.once('thread/start', fake.reply({ ...settings, activePermissionProfile }))
    await using host = await fakeHost({ steps: [opening] })
    const codex = await host.open({ experimental: true })
    const error = await rejection(codex.startThread({ cwd: '/', confined: true }))
    expect(error).toBeInstanceOf(WeakerSandboxError)
    expect(error).toMatchObject({ message: expect.stringContaining('instead of one for what it may touch') })
    expect(codex.openThreads).toBe(0)
  })
})

describe('a folder that holds logins', () => {
  it('may be read, but not written to; the error names what it holds', async () => {
    const { open, home } = await openClient([[message('hello')]])
    const folder = path.dirname(home.path)
    const codex = await open()
    const error = await rejection(codex.startThread({ cwd: folder, sandbox: 'workspace-write' }), 10_000)
    expect(error).toBeInstanceOf(UnsafeFolderError)
    expect(error).toMatchObject({ message: expect.stringContaining(home.path) })
    const reading = await codex.startThread({ cwd: folder })
    expect(reading.sandbox.type).toBe('readOnly')
  })
})
