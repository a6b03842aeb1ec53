import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { checkHooks } from './hook-checks.ts'

it('lists the hooks, and says what they lack, without running one', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'hooks-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const ran = path.join(folder, 'ran')
  const hooks = {
    install: { on: 'before', command: `touch ${ran}; echo token=ghp_0123456789abcdefghijklmnopqrstuvwxyz` },
    tell: { on: 'onQuestion', module: 'tell.mjs' },
    keys: { on: 'after', command: 'true', passEnv: ['NOT_SET_HERE'] },
  }
  writeFileSync(path.join(folder, 'settings.json'), JSON.stringify({ hooks }))
  const checks = await checkHooks(folder, {})
  expect(checks.map(({ id, status }) => [id, status])).toEqual([
    ['hooks', 'ok'],
    ['hooks', 'warn'],
    ['hooks', 'warn'],
  ])
  const said = JSON.stringify(checks)
  expect(said).toContain('before the first turn of a task, outside of the sandbox')
  expect(said).toContain(`${path.join(folder, 'tell.mjs')}, which is not there`)
  expect(said).toContain('NOT_SET_HERE')
  expect(said).not.toContain('ghp_0123')
  expect(() => rmSync(ran)).toThrow()
})
