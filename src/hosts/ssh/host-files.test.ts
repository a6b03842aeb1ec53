import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { readSecrets, removeSecrets, writeSecrets } from './host-files.ts'

it('what is kept for a host is of that place alone, and gone with the host', () => {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'drawbridge-host-files-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true }))
  const box = { name: 'box', destination: 'me@one' }
  const kept = { ...readSecrets(dataDir, box), port: 4000 }
  writeSecrets(dataDir, box, kept)
  expect(readSecrets(dataDir, box)).toEqual(kept)
  for (const other of [
    { ...box, destination: 'me@two' },
    { ...box, jump: 'gate' },
  ]) {
    const { token, port } = readSecrets(dataDir, other)
    expect({ isSame: token === kept.token, port }).toEqual({ isSame: false, port: null })
  }
  removeSecrets(dataDir, box)
  expect(readSecrets(dataDir, box)).toMatchObject({ port: null })
  expect(readSecrets(dataDir, box).token).not.toBe(kept.token)
})
