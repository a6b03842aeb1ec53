import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { checkCodexHome, checkDataFolder } from './folder-checks.ts'

function scratch(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'folder-checks-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

describe('checkCodexHome', () => {
  it('warns of a home under the temp folder', () => {
    const folder = scratch()
    expect(checkCodexHome(folder, { tempDir: tmpdir() }).status).toBe('warn')
    expect(checkCodexHome(folder, { tempDir: path.join(folder, 'elsewhere') }).status).toBe('ok')
  })

  it('is not misled by a folder whose name only begins like it', () => {
    const folder = scratch()
    expect(checkCodexHome(folder, { tempDir: folder.slice(0, -1) }).status).toBe('ok')
  })

  it('fails for one that is missing or a file', () => {
    const file = path.join(scratch(), 'file')
    expect(checkCodexHome(file, { tempDir: '/nowhere' }).fix).toContain('mkdir -p')
    writeFileSync(file, '')
    expect(checkCodexHome(file, { tempDir: '/nowhere' }).status).toBe('fail')
  })
})

describe('checkDataFolder', () => {
  it('may be missing as long as it can be made', () => {
    const folder = path.join(scratch(), 'not', 'yet')
    expect(checkDataFolder(folder)).toMatchObject({ status: 'ok', what: `${folder} (made when needed)` })
  })

  it('fails when something is in its way', () => {
    const file = path.join(scratch(), 'file')
    writeFileSync(file, '')
    expect(checkDataFolder(path.join(file, 'folder'))).toMatchObject({ status: 'fail' })
  })
})
