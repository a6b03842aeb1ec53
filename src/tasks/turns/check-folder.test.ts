import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { StoredTask } from '../../store/index.ts'
import { checkWithin } from './check-folder.ts'

it('before every turn, folder and allowed paths of a token must still lead into its folders', async () => {
  const root = mkdtempSync(path.join(tmpdir(), 'within-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const at = (name: string) => path.join(root, name)
  for (const name of ['in/repo', 'in/docs', 'out']) mkdirSync(at(name), { recursive: true })
  const policy = { allow: [{ path: at('in/docs'), access: 'ro' }] }
  const facts = { cwd: at('in/repo'), host: null, workspace: null, created_by_name: 'ci' }
  const row = { ...facts, policy: JSON.stringify(policy) }
  const check = (within: readonly string[] | null) =>
    checkWithin({ ...row, within: within && JSON.stringify(within) } as StoredTask, undefined as never)
  await expect(check([at('in')])).resolves.toBeUndefined()
  const parts = JSON.stringify({ parts: [{ folder: at('out') }] })
  const beside = { ...row, workspace: parts, within: JSON.stringify([at('in')]) } as StoredTask
  await expect(checkWithin(beside, undefined as never)).rejects.toThrow(`${at('out')} is not in the folders`)
  await expect(check([at('in/repo')])).rejects.toMatchObject({
    code: 'not-permitted',
    message: expect.stringContaining(`${at('in/docs')} is not in the folders of the token ci any more`),
  })
  renameSync(at('in/docs'), at('in/moved'))
  symlinkSync(at('out'), at('in/docs'))
  await expect(check([at('in')])).rejects.toMatchObject({ details: { needs: '--folder' } })
  await expect(check(null)).resolves.toBeUndefined()
})
