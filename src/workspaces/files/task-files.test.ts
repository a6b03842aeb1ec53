// What is in the folder of a task can be read, and nothing else, whatever is done with links meanwhile.
import { spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { taskRow } from '../../store/fixtures/sample-rows.ts'
import { makeScratchStore } from '../../store/fixtures/scratch-store.ts'
import { insertTask, insertUploads } from '../../store/index.ts'
import type { FilePlace, Task } from '../../tasks/index.ts'
import { makeWorkspace } from '../../testing/index.ts'
import { listFolder } from './list-folder.ts'
import { openFile } from './opened-file.ts'
import { pinBelow, pinRoot } from './pinned.ts'
import { TaskFiles, type TaskFilesOptions } from './task-files.ts'

const LIMITS = { maxFileBytes: 10_000, maxFiles: 3, maxTaskBytes: 25_000, types: null }

async function stage(options: Partial<TaskFilesOptions> = {}) {
  const scratch = await makeWorkspace()
  onTestFinished(() => scratch.remove())
  const store = await makeScratchStore()
  onTestFinished(() => store.remove())
  const { db } = await store.open()
  const at = (...parts: string[]) => path.join(scratch.path, ...parts)
  for (const folder of ['repo/src', 'outside', 'data']) mkdirSync(at(folder), { recursive: true })
  writeFileSync(at('repo/a.txt'), 'inside')
  writeFileSync(at('repo/src/b.txt'), 'deeper')
  writeFileSync(at('outside/secret'), 'SECRET')
  writeFileSync(at('data/token'), 'SECRET')
  const id = randomUUID()
  await insertTask(db, taskRow(id, { cwd: at('repo') }), [])
  const task = {
    id,
    cwd: at('repo'),
    host: null,
    worker: null,
    workspace: null,
    codexHome: null,
    policy: {},
  } as Task
  const complete: TaskFilesOptions = {
    ...{ db, store: 'sqlite one', now: Date.now },
    ...{ folder: at('uploads'), workerId: null, limits: LIMITS, protectedFor: () => [at('data')] },
    ...options,
  }
  const files = new TaskFiles(complete)
  const sweeper = (more: Partial<TaskFilesOptions>) => new TaskFiles({ ...complete, ...more })
  const place: FilePlace = { task, within: null }
  const read = async (relative: string, from: FilePlace = place) => {
    const file = await files.open(from, { in: 'folder', path: relative })
    const chunks = []
    for await (const chunk of file.read({ from: 0, to: file.bytes - 1 })) chunks.push(chunk)
    return Buffer.concat(chunks).toString()
  }
  const codeOf = (relative: string, from?: FilePlace) =>
    read(relative, from).catch((error) => error.code as string)
  return { at, db, id, task, files, sweeper, place, read, codeOf }
}

describe('what is read', () => {
  it('is inside, by every name that leads there', async () => {
    const { at, read } = await stage()
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
    const { at, codeOf, place } = await stage()
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
    const { at } = await stage()
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
    const { at, place, codeOf } = await stage()
    symlinkSync(at('outside'), at('alias'))
    const within = [at('repo')]
    expect(await codeOf('a.txt', { ...place, within })).toBe('inside')
    const aliased = { within: [at('repo'), at('none')], task: { ...place.task, cwd: at('alias') } }
    expect(await codeOf('secret', aliased)).toBe('file-outside')
  })

  it('is on this machine', async () => {
    const { place, files } = await stage({ workerId: 'here' })
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
    const { at, files, place } = await stage()
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
    const { files, place } = await stage()
    expect(await files.list(place, { in: 'uploads', path: '' })).toEqual({ entries: [], isCut: false })
    await expect(files.list(place, { in: 'uploads', path: '../' })).rejects.toMatchObject({
      code: 'file-outside',
    })
  })
})

describe('uploads', () => {
  async function* body(...chunks: (string | Buffer)[]) {
    for (const chunk of chunks) yield Buffer.from(chunk)
  }
  async function* given(...files: (readonly [string | null, AsyncIterable<Uint8Array>])[]) {
    for (const [filename, content] of files) yield { filename, body: content }
  }
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('half')
    throw Object.assign(new Error('gone'), { code: 'bad-request' })
  }
  const stored = async <T>(files: readonly T[]) => files

  async function uploading(options: Partial<TaskFilesOptions> = {}) {
    const here = await stage(options)
    const { files, place, at, id } = here
    const names = () => {
      const of = (folder: string) => (existsSync(folder) ? readdirSync(folder).toSorted() : [])
      return { kept: of(at('uploads', id)), incoming: of(at('uploads/.incoming')) }
    }
    const send = (...each: Parameters<typeof given>) => files.receive(place, given(...each), stored)
    return { ...here, send, names }
  }

  it('are stored whole under safe names, numbered where they meet, also at the same time', async () => {
    const { send, names, at, id } = await uploading()
    const first = await send(['../ü.csv', body('a,', 'b')], ['ü.csv', body('')])
    expect(first).toMatchObject([
      { name: 'ü.csv', bytes: 3, type: 'text/csv', path: at('uploads', id, 'ü.csv') },
      { name: 'ü (2).csv', bytes: 0, type: 'text/csv' },
    ])
    await Promise.all(Array.from({ length: 8 }, (_, index) => send(['same', body(`${index}`)])))
    const same = names().kept.filter((name) => name.startsWith('same'))
    expect(same.map((name) => readFileSync(at('uploads', id, name), 'utf8')).toSorted()).toEqual([
      ...'01234567',
    ])
    expect(names().incoming).toEqual([])
  })

  it.each([
    ['too large', 'file-too-large', [['a', body(Buffer.alloc(9000), Buffer.alloc(1001))]]],
    ['too many', 'too-many-files', [...'abcd'].map((name) => [name, body(name)])],
    ['too much together', 'file-too-large', [...'abc'].map((name) => [name, body(Buffer.alloc(9000))])],
    [
      'cut off',
      'bad-request',
      [
        ['whole', body('x')],
        ['half', broken()],
      ],
    ],
    [
      'not a file',
      'file-type-refused',
      [
        ['a', body('x')],
        [null, body('text')],
      ],
    ],
    ['none', 'upload-incomplete', []],
  ] as const)('that are %s leave nothing behind', async (_, code, files) => {
    const { send, names } = await uploading()
    await expect(send(...(files as unknown as Parameters<typeof send>))).rejects.toMatchObject({ code })
    expect(names()).toEqual({ kept: [], incoming: [] })
  })

  it('are of the types that are allowed, by their content', async () => {
    const limits = { ...LIMITS, types: ['image/*', 'text/plain', '.parquet'] }
    const { send, names } = await uploading({ limits })
    const png = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
    const kept = await send(['a.txt', body(png)], ['b.parquet', body('\0')], ['c', body('hé')])
    expect(kept.map(({ type }) => type)).toEqual(['image/png', 'application/octet-stream', 'text/plain'])
    await expect(send(['x.png', body('<script>')])).resolves.toMatchObject([{ type: 'text/plain' }])
    for (const [name, content] of [
      ['a.txt', '\x7fELF\x02'],
      ['a.html', '<script>'],
      ['image.png', '\0\0'],
    ] as const)
      await expect(send([name, body(content)])).rejects.toMatchObject({ code: 'file-type-refused' })
    expect(names().kept).toEqual(['a.txt', 'b.parquet', 'c', 'x.png'])
  })

  it('are refused where the task could not read them', async () => {
    const { files, place, at, names } = await uploading()
    const confinedTo = (...allow: { path: string; access: 'ro' }[]) =>
      ({ ...place, task: { ...place.task, policy: { confined: true, allow } } }) as FilePlace
    const refused = files.receive(confinedTo(), given(['a', body('x')]), stored)
    await expect(refused).rejects.toMatchObject({
      code: 'files-confined',
      message: expect.stringContaining(`--allow ro:${at('uploads')}`),
    })
    expect(names().kept).toEqual([])
    const allowed = confinedTo({ path: at('uploads'), access: 'ro' })
    expect(await files.receive(allowed, given(['a', body('x')]), stored)).toHaveLength(1)
  })

  it('of a task have a size together', async () => {
    const { send, names, db, id } = await uploading()
    const row = { id: 'u', task_id: id, name: 'old', path: '/old', bytes: 20_000, type: 'x', sha256: 'x' }
    await insertUploads(db, [{ ...row, actor: 'me', message_id: null, created_at: 1 }])
    await send(['fits', body(Buffer.alloc(5_000))])
    await expect(send(['more', body(Buffer.alloc(5_001))])).rejects.toThrow(
      /has files of 20000 bytes, and 5001 more/,
    )
    expect(names()).toEqual({ kept: ['fits'], incoming: [] })
  })

  it('that cannot be put on record, or would go through a link, are not kept', async () => {
    const { files, place, names, at, send, id } = await uploading()
    const failing = () => Promise.reject(new Error('no database'))
    await expect(files.receive(place, given(['a', body('x')]), failing)).rejects.toThrow('no database')
    expect(names()).toEqual({ kept: [], incoming: [] })
    rmSync(at('uploads', id), { recursive: true })
    symlinkSync(at('outside'), at('uploads', id))
    await expect(send(['authorized_keys', body('x')])).rejects.toMatchObject({ code: 'file-outside' })
    expect(readdirSync(at('outside'))).toEqual(['secret'])
  })

  it.runIf(process.getuid?.() === 0)('leave nothing behind when the disk is full', async () => {
    const { at, send, names } = await uploading({
      limits: { ...LIMITS, maxFileBytes: 1e6, maxTaskBytes: 1e7 },
    })
    mkdirSync(at('uploads'))
    spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', at('uploads')])
    onTestFinished(() => void spawnSync('umount', [at('uploads')]))
    await expect(send(['small', body('x')], ['large', body(Buffer.alloc(200_000))])).rejects.toMatchObject({
      code: 'disk-full',
    })
    expect(names()).toEqual({ kept: [], incoming: [] })
    await expect(send(['small', body('x')])).resolves.toHaveLength(1)
  })

  it('of tasks that are long gone, and halves from before, are swept away, but not with another store', async () => {
    const here = await uploading()
    const { at, send, names, id } = here
    await send(['kept', body('x')])
    const gone = randomUUID()
    for (const folder of [gone, 'not-a-task', '.incoming']) {
      mkdirSync(at('uploads', folder), { recursive: true })
      writeFileSync(at('uploads', folder, 'f'), 'x')
    }
    const DAY_MS = 24 * 60 * 60 * 1000
    const sweep = async (store: string, days: number, isStart = false) => {
      await here.sweeper({ store, now: () => Date.now() + days * DAY_MS }).sweep({ isStart })
      return readdirSync(at('uploads')).toSorted()
    }
    const all = ['.incoming', '.store', gone, id, 'not-a-task'].toSorted()
    expect(await sweep('sqlite one', 29)).toEqual(all)
    expect(await sweep('postgres other', 31)).toEqual(all)
    expect(await sweep('sqlite one', 31)).toEqual(all.filter((name) => name !== gone))
    await sweep('sqlite one', 0, true)
    expect(names()).toEqual({ kept: ['kept'], incoming: [] })
  })
})

it('a file that becomes shorter while it is read is not taken for whole', async () => {
  const { at, files, place } = await stage()
  writeFileSync(at('repo/big'), Buffer.alloc(600_000))
  const file = await files.open(place, { in: 'folder', path: 'big' })
  const chunks = file.read({ from: 0, to: file.bytes - 1 })
  await chunks.next()
  truncateSync(at('repo/big'), 300_000)
  await chunks.next()
  await expect(chunks.next()).rejects.toThrow('became shorter')
})
