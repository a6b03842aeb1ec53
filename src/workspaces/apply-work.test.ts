// What of the user's an apply could damage, with a configuration of git as users have it.
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { makeGitRepo } from '../../test/support/git-repo.ts'
import { stagedRoom } from '../../test/support/staged-room.ts'

async function stage(files: Readonly<Record<string, string>>) {
  const { room, folder, dataDir } = await stagedRoom()
  const repo = makeGitRepo(path.join(folder, 'repo'), files)
  const home = path.join(dataDir, 'home')
  mkdirSync(home)
  const configure = (text: string) => writeFileSync(path.join(home, '.gitconfig'), text)
  return { room, repo, configure }
}

it('a patch changes the files that the task changed, byte for byte, however the user likes diffs', async () => {
  const { room, repo, configure } = await stage({ 'x.txt': 'one\n', 'lib/x.txt': 'one\n' })
  configure('[diff]\n\tnoprefix = true\n\tcontext = 0\n\trelative = true\n\tsubmodule = log\n')
  const { id, cwd } = await room.start({ kind: 'worktree' }, repo.path)
  const bytes = Buffer.from([0x6f, 0xe9, 0xff, 0x0a])
  writeFileSync(path.join(cwd, 'lib', 'x.txt'), bytes)
  await room.workspaces.apply(id, { method: 'patch' })
  expect(repo.read('x.txt')).toBe('one\n')
  expect(readFileSync(path.join(repo.path, 'lib', 'x.txt'))).toEqual(bytes)
})

it.each(['merge', 'patch'] as const)('ignored files of the user are in the way of a %s', async (method) => {
  const { room, repo } = await stage({ '.gitignore': 'node_modules/\nbuild\n', 'a.txt': 'one\n' })
  repo.write('node_modules/mine', 'mine\n')
  repo.write('build', 'mine too\n')
  const { id, cwd } = await room.start({ kind: 'worktree' }, repo.path)
  symlinkSync('/elsewhere', path.join(cwd, 'node_modules'))
  mkdirSync(path.join(cwd, 'build'))
  writeFileSync(path.join(cwd, 'build', 'x'), 'x\n')
  writeFileSync(path.join(cwd, '.gitignore'), 'node_modules/\n')
  await room.workspaces.commit(id, { message: 'in the way' })
  await expect(room.workspaces.apply(id, { method })).rejects.toMatchObject({
    code: 'checkout-dirty',
    details: { files: ['build', 'node_modules/mine'] },
  })
  expect([repo.read('node_modules/mine'), repo.read('build')]).toEqual(['mine\n', 'mine too\n'])
})

it('a patch that cannot be written to its end leaves nothing of it', async () => {
  const { room, repo, configure } = await stage({ 'a.txt': 'one\n', '.gitattributes': 'z.txt filter=mine\n' })
  configure('[filter "mine"]\n\tclean = cat\n\tsmudge = false\n\trequired = true\n')
  const { id, cwd } = await room.start({ kind: 'worktree' }, repo.path)
  for (const name of ['a.txt', 'new.txt', 'z.txt']) writeFileSync(path.join(cwd, name), 'two\n')
  await expect(room.workspaces.apply(id, { method: 'patch' })).rejects.toMatchObject({
    code: 'git-failed',
    message: expect.stringMatching(/smudge filter mine failed\. Nothing was changed$/),
  })
  expect([repo.read('a.txt'), repo.git('status', '--porcelain')]).toEqual(['one\n', ''])
})

it('commits go to the branch that is named, or to none when the one it was begun from is gone', async () => {
  const { room, repo } = await stage({ 'a.txt': 'one\n' })
  const main = repo.git('branch', '--show-current')
  repo.git('branch', 'feature')
  const { id, cwd } = await room.start({ kind: 'worktree', from: 'feature' }, repo.path)
  writeFileSync(path.join(cwd, 'a.txt'), 'two\n')
  await room.workspaces.commit(id, { message: 'Two' })
  const target = async () => (await room.workspaces.show(id)).target
  expect(await target()).toEqual({ branch: 'feature', checkout: repo.path })
  repo.git('branch', '-D', 'feature')
  expect(await target()).toEqual({ branch: null, checkout: repo.path })
  await expect(room.workspaces.apply(id, { method: 'merge' })).rejects.toMatchObject({
    code: 'branch-moved',
    message: expect.stringMatching(/feature, which it was begun from, is gone: name the branch/),
  })
  for (const to of ['nowhere', `${main}~0`, '-x'])
    await expect(room.workspaces.apply(id, { method: 'merge', to })).rejects.toMatchObject({
      code: 'branch-moved',
    })
  await expect(room.workspaces.apply(id, { method: 'patch', to: main })).rejects.toMatchObject({
    code: 'nothing-to-do',
  })
  expect(repo.read('a.txt')).toBe('one\n')
  expect(await room.workspaces.apply(id, { method: 'merge', to: main })).toMatchObject({ branch: main })
  expect(repo.read('a.txt')).toBe('two\n')
})
