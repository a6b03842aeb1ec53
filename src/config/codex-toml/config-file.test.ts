import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { replaceWhole } from './config-file.ts'

it('sweeps drafts of a process that was killed, and nothing else', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'drafts-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const draft = (digit: string) =>
    `.config.toml.${'00000000-0000-4000-8000-000000000000'.replaceAll('0', digit)}.tmp`
  const [left, fresh, other] = [draft('1'), draft('2'), '.config.toml.mine.tmp']
  for (const name of [left, fresh, other]) writeFileSync(path.join(folder, name), 'secret')
  for (const name of [left, other]) utimesSync(path.join(folder, name), 0, 0)
  expect(replaceWhole(path.join(folder, 'config.toml'), { expected: null, text: 'a = 1\n' })).toBe(true)
  expect(readdirSync(folder).sort()).toEqual([fresh, other, 'config.toml'].sort())
})
