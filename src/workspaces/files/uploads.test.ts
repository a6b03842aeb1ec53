// Files that are given to a task: whole or not at all, within their limits, and gone when their task is.
import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { filesStage, LIMITS } from '../../../test/support/files-stage.ts'
import { insertUploads } from '../../store/index.ts'
import type { FilePlace } from '../../tasks/index.ts'
import type { TaskFilesOptions } from './task-files.ts'

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
    const here = await filesStage(options)
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
