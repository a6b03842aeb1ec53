// What is in the folder of a task can be read, and nothing else, whatever is done with links meanwhile.
import { spawn, spawnSync } from 'node:child_process'
import { linkSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { filesStage } from '../../../test/support/files-stage.ts'
import type { Task } from '../../tasks/index.ts'
import { listFolder } from './list-folder.ts'
import { openFile } from './opened-file.ts'
import { pinBelow, pinRoot } from './pinned.ts'

describe('what is read', () => {
  it('is inside, by every name that leads there', async () => {
    const { at, read } = await filesStage()
    symlinkSync('src', at('repo/link'))
    symlinkSync(at('repo'), at('repo/src/up'))
    writeFileSync(at('repo', 'new\nline ünï \\ %2e%2e'), 'odd')
    const names = ['a.txt', './/a.txt', 'link/b.txt', 'src/up/a.txt', 'new\nline ünï \\ %2e%2e']
    expect(await Promise.all(names.map((name) => read(name)))).toEqual([
      'inside',
      'inside',
      'deeper',
      'inside',
      'odd',
    ])
  })

  it('is never outside, a login, a pipe, a device or a folder', async () => {
    const { at, codeOf, place } = await filesStage()
    symlinkSync(at('outside/secret'), at('repo/out'))
    symlinkSync('../outside', at('repo/out-folder'))
    symlinkSync('/proc/self/root', at('repo/root'))
    symlinkSync('loop', at('repo/loop'))
    symlinkSync('/dev/zero', at('repo/zero'))
    symlinkSync(at('data/token'), at('repo/token'))
    linkSync(at('data/token'), at('repo/hard'))
    mkdirSync(at('repo/.codex'))
    writeFileSync(at('repo/.codex/auth.json'), 'SECRET')
    spawnSync('mkfifo', [at('repo/pipe')])
    const socket = createServer().listen(at('repo/socket'))
    onTestFinished(() => void socket.close())
    const outside = [
      '../outside/secret',
      'src/../../outside/secret',
      at('outside/secret'),
      '..',
      'a\0b',
      'x'.repeat(5000),
    ]
    const links = ['out', 'out-folder/secret', `root${at('outside/secret')}`, 'loop', 'zero', 'token']
    for (const name of [...outside, ...links])
      expect([name, await codeOf(name)]).toEqual([name, 'file-outside'])
    for (const name of ['hard', '.codex/auth.json'])
      expect([name, await codeOf(name)]).toEqual([name, 'file-protected'])
    for (const name of ['pipe', 'socket', 'src', ''])
      expect([name, await codeOf(name)]).toEqual([name, 'not-a-file'])
    for (const name of [
      'none',
      'a.txt/x',
      '%2e%2e/outside/secret',
      '..\\outside',
      '\u2024\u2024/outside',
      'y'.repeat(300),
    ])
      expect([name, await codeOf(name)]).toEqual([name, 'file-not-found'])
    // A task that works above the data folder.
    const above = { ...place, task: { ...place.task, cwd: at() } }
    expect([await codeOf('data/token', above), await codeOf('outside/secret', above)]).toEqual([
      'file-protected',
      'SECRET',
    ])
  })

  it('stays inside while a process swaps a link, 200 times by each way', async () => {
    const { at } = await filesStage()
    for (const [folder, text] of [
      ['real', 'inside'],
      ['outside/real', 'SECRET'],
    ] as const) {
      mkdirSync(at(folder === 'real' ? 'repo/real' : folder), { recursive: true })
      writeFileSync(at(folder === 'real' ? 'repo/real' : folder, 'x'), text)
    }
    symlinkSync('real', at('repo/swap'))
    const swapping = spawn(
      'sh',
      [
        '-c',
        'echo ready; while :; do ln -sfn ../outside/real swap.new && mv -T swap.new swap; ln -sfn real swap.new && mv -T swap.new swap; done',
      ],
      { cwd: at('repo'), stdio: ['ignore', 'pipe', 'ignore'] },
    )
    onTestFinished(() => void swapping.kill('SIGKILL'))
    await new Promise((resolve) => swapping.stdout.once('data', resolve))
    for (const hasProc of [true, false]) {
      const seen = new Set<string>()
      // Both have been met by then, or it says nothing.
      for (let round = 0; round < 200 || seen.size < 2; round++) seen.add(await readOnce(at('repo'), hasProc))
      expect([...seen].toSorted()).toEqual(['file-outside', 'inside'])
    }
  })

  it('of a token with folders is in these, by where the folder of the task really is', async () => {
    const { at, place, codeOf } = await filesStage()
    symlinkSync(at('outside'), at('alias'))
    const within = [at('repo')]
    expect(await codeOf('a.txt', { ...place, within })).toBe('inside')
    const aliased = { within: [at('repo'), at('none')], task: { ...place.task, cwd: at('alias') } }
    expect(await codeOf('secret', aliased)).toBe('file-outside')
  })

  it('is on this machine', async () => {
    const { place, files } = await filesStage({ workerId: 'here' })
    const listed = (task: Partial<Task>) =>
      files.list({ ...place, task: { ...place.task, ...task } }, { in: 'folder', path: '' })
    await expect(listed({ worker: { id: 'there', name: 'build-2' } })).rejects.toThrow(
      /machine of the worker build-2: ask there/,
    )
    await expect(listed({ host: 'build' })).rejects.toMatchObject({
      code: 'files-elsewhere',
      details: { host: 'build' },
    })
    await expect(listed({})).rejects.toThrow(/wait until it begins/)
    await listed({ worker: { id: 'here', name: 'here' } })
  })
})

async function readOnce(root: string, hasProc: boolean): Promise<string> {
  const pinnedRoot = await pinRoot(root, hasProc)
  try {
    const pinned = await pinBelow(pinnedRoot, 'swap/x', hasProc)
    try {
      const file = await openFile(pinned)
      const chunks = []
      for await (const chunk of file.read({ from: 0, to: file.bytes - 1 })) chunks.push(chunk)
      return Buffer.concat(chunks).toString()
    } finally {
      await pinned.close()
    }
  } catch (error) {
    return (error as { code: string }).code
  } finally {
    await pinnedRoot.close()
  }
}

describe('a folder', () => {
  it('is listed without following links, folders first, and no more than can be shown', async () => {
    const { at, files, place } = await filesStage()
    symlinkSync('/etc/passwd', at('repo/link'))
    spawnSync('mkfifo', [at('repo/pipe')])
    spawnSync('sh', ['-c', `touch "$(printf 'bad\\377')"`], { cwd: at('repo') })
    const { entries, isCut } = await files.list(place, { in: 'folder', path: '' })
    expect(isCut).toBe(false)
    expect(entries.map(({ name, kind, bytes, target }) => [name, kind, bytes, target])).toEqual([
      ['src', 'folder', null, null],
      ['a.txt', 'file', 6, null],
      ['bad\ufffd', 'other', null, null],
      ['link', 'link', null, '/etc/passwd'],
      ['pipe', 'other', null, null],
    ])
    const root = await pinRoot(at('repo'))
    const few = await listFolder(root, { names: 10, entries: 2 })
    expect([few.entries.map(({ name }) => name), few.isCut]).toEqual([['src', 'a.txt'], true])
    expect(await listFolder(root, { names: 3, entries: 9 })).toMatchObject({ isCut: true })
    await root.close()
  })

  it('of uploads is empty before the first, and has no other', async () => {
    const { files, place } = await filesStage()
    expect(await files.list(place, { in: 'uploads', path: '' })).toEqual({ entries: [], isCut: false })
    await expect(files.list(place, { in: 'uploads', path: '../' })).rejects.toMatchObject({
      code: 'file-outside',
    })
  })
})

it('a file that becomes shorter while it is read is not taken for whole', async () => {
  const { at, files, place } = await filesStage()
  writeFileSync(at('repo/big'), Buffer.alloc(600_000))
  const file = await files.open(place, { in: 'folder', path: 'big' })
  const chunks = file.read({ from: 0, to: file.bytes - 1 })
  await chunks.next()
  truncateSync(at('repo/big'), 300_000)
  await chunks.next()
  await expect(chunks.next()).rejects.toThrow('became shorter')
})
