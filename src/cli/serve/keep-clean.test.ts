import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { makeGitRepo } from '../../../test/support/git-repo.ts'
import { stagedRoom } from '../../../test/support/staged-room.ts'
import { keepClean } from './keep-clean.ts'

async function stage() {
  const { room, folder } = await stagedRoom()
  const repo = makeGitRepo(path.join(folder, 'repo'), { 'a.txt': 'one\n' })
  const done = await room.start({ kind: 'worktree' }, repo.path)
  const withWork = await room.start({ kind: 'worktree' }, repo.path)
  writeFileSync(path.join(withWork.cwd, 'a.txt'), 'two\n')
  const lines: string[] = []
  const begin = (afterDays: number | null) => {
    const clean = async ({ olderThanDays = 0 }) => {
      const before = Date.now() - olderThanDays * 24 * 60 * 60 * 1000
      const { removed, kept } = await room.workspaces.clean({ before, isDry: false })
      return { removed: [...removed], kept: [...kept] }
    }
    return keepClean({ clean }, { afterDays, tell: (line) => lines.push(line) })
  }
  return { done, withWork, lines, begin }
}

it('removes what nothing needs once it is old enough, and never work that is nowhere else', async () => {
  const { done, withWork, lines, begin } = await stage()
  const never = begin(null)
  await never.look()
  const later = begin(1)
  await later.look()
  expect([existsSync(done.cwd), existsSync(withWork.cwd), lines]).toEqual([true, true, []])
  const now = begin(0)
  await now.look()
  expect([existsSync(done.cwd), existsSync(withWork.cwd)]).toEqual([false, true])
  expect(lines).toEqual([expect.stringMatching(/^workspaces: removed 1 workspace that nothing needs: /)])
  await Promise.all([never.stop(), later.stop(), now.stop()])
})

it('says what failed, and does nothing once it is stopped', async () => {
  const lines: string[] = []
  const clean = () => Promise.reject(new Error('the disk is gone'))
  const keeping = keepClean({ clean }, { afterDays: 0, tell: (line) => lines.push(line) })
  await keeping.look()
  await keeping.stop()
  await keeping.look()
  expect(lines).toEqual(['workspaces: could not be cleaned up: the disk is gone'])
})
