import { execFileSync } from 'node:child_process'
import { appendFile, link, mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openInside } from './open-inside.ts'

async function stage() {
  const root = await mkdtemp(path.join(tmpdir(), 'inside-'))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  const folder = path.join(root, 'work')
  await mkdir(path.join(folder, 'sub'), { recursive: true })
  await writeFile(path.join(root, 'outside'), 'not yours')
  await writeFile(path.join(folder, 'sub/file'), 'hello')
  const at = (...names: string[]) => path.join(folder, ...names)
  const options = { folders: [folder], maxBytes: 100 }
  const refused = (named: string, more: object = {}) =>
    expect(openInside(named, { ...options, ...more })).rejects
  return { root, folder, at, options, refused }
}

async function contentOf(file: { read(): AsyncIterable<Uint8Array> }): Promise<string> {
  let text = ''
  for await (const chunk of file.read()) text += Buffer.from(chunk).toString()
  return text
}

it('opens plain files by relative and absolute paths, and by links that stay inside', async () => {
  const { at, options } = await stage()
  await symlink('sub/file', at('inner'))
  for (const named of ['sub/file', './sub/../sub/file', at('sub/file'), 'inner']) {
    const file = await openInside(named, options)
    expect(file).toMatchObject({ path: 'sub/file', bytes: 5 })
    expect(await contentOf(file)).toBe('hello')
    await file.close()
  }
})

it('refuses what is outside, under whatever name, and what is no plain file', async () => {
  const { root, at, refused } = await stage()
  await symlink('../outside', at('out'))
  await symlink('..', at('up'))
  await symlink('/proc/self/root', at('proc'))
  execFileSync('mkfifo', [at('pipe')])
  for (const named of ['../outside', path.join(root, 'outside'), 'out', 'up/outside', 'proc/etc/hostname'])
    await refused(named).toThrow('is not in the folder of the task')
  for (const named of ['pipe', 'sub', '.']) await refused(named).toThrow('is not a plain file')
  for (const named of ['', 'a\0b']) await refused(named).toThrow('say which file')
  await refused('none').toThrow('there is no file none')
  await refused('/dev/zero').toThrow('is not in the folder')
})

it('refuses what is too large or forbidden, also by a second name', async () => {
  const { at, refused } = await stage()
  await writeFile(at('large'), 'x'.repeat(101))
  await link(at('sub/file'), at('second'))
  await refused('large').toThrow('has 101 bytes: at most 100')
  await refused('sub/file', { forbidden: [at('sub')] }).toThrow('logins or private data')
  await refused('second', { forbidden: [at('gone'), at('sub/file')] }).toThrow('logins or private data')
  await refused('second', { forbidden: [at('sub')] }).toThrow('logins or private data')
  await mkdir(at('.codex'))
  await writeFile(at('.codex/auth.json'), '{}')
  await refused('.codex/auth.json').toThrow('logins or private data')
})

it('notices that the file is changed or grows while it is read, and is not misled by another in its place', async () => {
  const { at, options } = await stage()
  const grown = await openInside('sub/file', options)
  await appendFile(at('sub/file'), ' more')
  await expect(contentOf(grown)).rejects.toThrow('was changed while it was copied')
  await grown.close()

  await writeFile(at('one'), 'first')
  const opened = await openInside('one', options)
  await writeFile(at('two'), 'second')
  await rename(at('two'), at('one'))
  expect(await contentOf(opened)).toBe('first')
  await opened.close()
})

it('refuses a folder that has become a link out of where it must be', async () => {
  const { root, folder, options, refused } = await stage()
  await rm(folder, { recursive: true })
  await mkdir(path.join(root, 'home'))
  await writeFile(path.join(root, 'home/notes'), 'hello')
  await symlink(path.join(root, 'home'), folder)
  await mkdir(path.join(root, 'allowed'))
  const within = [path.join(root, 'gone'), path.join(root, 'allowed')]
  await refused('notes', { within }).toThrow('is not in the folder of the task')
  await refused('notes', { within: [] }).toThrow('is not in the folder of the task')
  for (const anywhere of [null, undefined, [root]])
    await (await openInside('notes', { ...options, within: anywhere })).close()
})
