import { chmodSync, chownSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { scratch } from './fixtures/scratch.ts'
import { makePrivateFolder } from './private-folder.ts'

const { scratchFolder } = scratch(onTestFinished)
const place = () => path.join(scratchFolder(), 'sockets')
const refusal = (message: RegExp) =>
  expect.objectContaining({ code: 'socket-folder-refused', message: expect.stringMatching(message) })

describe.skipIf(process.platform === 'win32')('a private folder', () => {
  it('is made for this user alone, and taken again', () => {
    const folder = place()
    makePrivateFolder(folder)
    makePrivateFolder(folder)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
  })

  it('is refused when it is a link, even to a private folder, or a file', () => {
    const target = place()
    makePrivateFolder(target)
    const link = place()
    symlinkSync(target, link)
    expect(() => makePrivateFolder(link)).toThrow(refusal(/symbolic link/))
    const file = place()
    writeFileSync(file, '')
    expect(() => makePrivateFolder(file)).toThrow(refusal(/not a folder/))
  })

  it('is refused when others may enter it', () => {
    const folder = place()
    mkdirSync(folder)
    chmodSync(folder, 0o710)
    expect(() => makePrivateFolder(folder)).toThrow(refusal(/mode 710/))
  })

  it.runIf(process.getuid?.() === 0)('is refused when it belongs to another', () => {
    const folder = place()
    mkdirSync(folder, { mode: 0o700 })
    chownSync(folder, 65_534, 65_534)
    expect(() => makePrivateFolder(folder)).toThrow(refusal(/another user/))
  })

  it('is refused when it cannot be made', () => {
    expect(() => makePrivateFolder(path.join(place(), 'below'))).toThrow(refusal(/ENOENT/))
  })
})
