import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { webSocketHost } from '../websocket-host.ts'
import { localHost } from './local-host.ts'
import { realPath } from './real-path.ts'

it('follows links before it takes .., and stops at what cannot be told', () => {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'real-path-')))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  mkdirSync(path.join(folder, 'deep', 'er'), { recursive: true })
  symlinkSync('deep/er', path.join(folder, 'link'))
  symlinkSync('nowhere', path.join(folder, 'dangling'))
  symlinkSync('loop', path.join(folder, 'loop'))
  const real = (place: string) => {
    const found = realPath(`${folder}/${place}`)
    return found === null ? null : path.relative(folder, found)
  }
  expect(real('link')).toBe('deep/er')
  expect(real('link/..')).toBe('deep')
  expect(real('link/new/file')).toBe('deep/er/new/file')
  expect(real('link/./new/.//')).toBe('deep/er/new')
  expect(real('new/../x')).toBeNull()
  expect(real('dangling')).toBeNull()
  expect(real('dangling/')).toBeNull()
  expect(real('dangling/x')).toBeNull()
  expect(real('loop/x')).toBeNull()
})

it('is what hosts on this machine look paths up with, and no others', async () => {
  expect(realPath('~')).toBe(realPath(homedir()))
  for (const host of [localHost(), webSocketHost({ socketPath: '/run/codex.sock' })])
    expect(await host.realPath!('/proc/self/..')).toBe(realPath('/proc/self/..'))
  // What is behind a port may be a tunnel.
  expect(webSocketHost({ url: 'ws://127.0.0.1:1' }).realPath).toBeUndefined()
  expect(webSocketHost({ url: 'wss://example.com' }).realPath).toBeUndefined()
})
