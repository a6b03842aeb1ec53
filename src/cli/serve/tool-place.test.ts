import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { hasToolPlace, openToolPlace } from './tool-place.ts'

function folder(): string {
  const made = mkdtempSync(path.join(tmpdir(), 'tools-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

const kept = (dataDir: string) =>
  JSON.parse(readFileSync(path.join(dataDir, 'tools.json'), 'utf8')) as { port: number; secret: string }

it('is the same again after a restart, and for its owner only', async () => {
  const dataDir = folder()
  expect(hasToolPlace(dataDir)).toBe(false)
  const first = await openToolPlace(dataDir, () => {})
  const before = kept(dataDir)
  expect(before.port).toBe(first.port)
  expect(statSync(path.join(dataDir, 'tools.json')).mode & 0o777).toBe(0o600)
  await first.close()
  const second = await openToolPlace(dataDir, () => {})
  expect(second.port).toBe(first.port)
  expect(kept(dataDir)).toEqual(before)
  await second.close()
})

it('is another with another secret when the port is taken, and says so', async () => {
  const dataDir = folder()
  await (await openToolPlace(dataDir, () => {})).close()
  const before = kept(dataDir)
  const other = createServer().listen(before.port, '127.0.0.1')
  await new Promise((resolve) => other.once('listening', resolve))
  onTestFinished(() => void other.close())
  const told: string[] = []
  const server = await openToolPlace(dataDir, (line) => told.push(line))
  onTestFinished(() => server.close())
  expect(told).toEqual([expect.stringContaining(`port ${before.port} is taken`)])
  expect(kept(dataDir).secret).not.toBe(before.secret)
  expect(kept(dataDir).port).toBe(server.port)
})

it('is made anew when the file is damaged, but a link is not followed', async () => {
  const dataDir = folder()
  writeFileSync(path.join(dataDir, 'tools.json'), '{"port":1}')
  const server = await openToolPlace(dataDir, () => {})
  expect(kept(dataDir).port).toBe(server.port)
  await server.close()
  const linked = folder()
  symlinkSync(path.join(dataDir, 'tools.json'), path.join(linked, 'tools.json'))
  await expect(openToolPlace(linked, () => {})).rejects.toMatchObject({ code: 'linked-file' })
})
