import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { scratch } from '../fixtures/scratch.ts'
import { removeStraySockets, socketFolder, socketPath } from './socket-path.ts'

const { scratchFolder } = scratch(onTestFinished)
const DEEP = 'a-rather-deep-folder/'.repeat(6)
const id = 'ab'.repeat(16)

function folderFor(dataDir: string, env: NodeJS.ProcessEnv = {}): string {
  const folder = socketFolder(dataDir, { env })
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function shortFolder(): string {
  const folder = path.join(tmpdir(), `s-${process.pid}-${performance.now()}`)
  mkdirSync(folder, { mode: 0o700 })
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

describe.skipIf(process.platform === 'win32')('sockets', () => {
  it('are in the data folder, which is made, when the path is short enough', () => {
    const dataDir = path.join(shortFolder(), 'data')
    expect(folderFor(dataDir)).toBe(path.join(dataDir, 'sockets'))
  })

  it('are elsewhere when it is not: one place per data folder, every time the same', () => {
    const deep = path.join(scratchFolder(), DEEP)
    const runtime = shortFolder()
    const inRuntime = folderFor(deep, { XDG_RUNTIME_DIR: runtime })
    expect(path.dirname(inRuntime)).toBe(runtime)
    expect(folderFor(deep, { XDG_RUNTIME_DIR: runtime })).toBe(inRuntime)
    expect(folderFor(path.join(deep, 'b'), { XDG_RUNTIME_DIR: runtime })).not.toBe(inRuntime)
    const shared = folderFor(deep)
    expect(path.dirname(shared)).toBe(path.join(tmpdir(), `drawbridge-${process.getuid!()}`))
    expect(folderFor(deep, { XDG_RUNTIME_DIR: path.join(runtime, DEEP) })).toBe(shared)
    expect(Buffer.byteLength(socketPath(shared, id))).toBeLessThanOrEqual(103)
  })

  it('are not put where somebody else has laid a trap', () => {
    const deep = path.join(scratchFolder(), DEEP)
    const runtime = shortFolder()
    const folder = folderFor(deep, { XDG_RUNTIME_DIR: runtime })
    rmSync(folder, { recursive: true })
    symlinkSync(shortFolder(), folder)
    expect(() => folderFor(deep, { XDG_RUNTIME_DIR: runtime })).toThrow(/symbolic link/)
  })

  it('that nobody wrote down are removed, and nothing else', () => {
    const folder = shortFolder()
    const known = socketPath(folder, id)
    for (const file of [known, socketPath(folder, 'cd'.repeat(16)), path.join(folder, 'notes')])
      writeFileSync(file, '')
    removeStraySockets(folder, [known])
    expect(readdirSync(folder).sort()).toEqual([path.basename(known), 'notes'])
  })
})
