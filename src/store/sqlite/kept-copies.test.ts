import { readdir, writeFile } from 'node:fs/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { filledStore, scratchStore } from '../fixtures/damaged-store.ts'
import { startHolder } from '../fixtures/holder.ts'
import { fill } from '../fixtures/sample-rows.ts'
import { backupDatabase } from './backup.ts'
import { checkDatabase } from './check.ts'
import { copiesOf, keepCopy, keepDailyCopy } from './kept-copies.ts'
import { openReader } from './sqlite-file.ts'

const HOUR = 60 * 60 * 1000
const DAY = 24 * HOUR
const START = Date.UTC(2026, 10, 1, 3)

describe('the daily copy', () => {
  it('is made once a day, and the newest three are kept beside those from before migrations', async () => {
    const { file } = await filledStore()
    await keepCopy(file, { before: '101-more', now: () => START - 30 * DAY })
    const made: number[] = []
    for (let at = START; at < START + 5 * DAY; at += 6 * HOUR) {
      const { status } = await keepDailyCopy(file, { now: () => at })
      if (status === 'made') made.push((at - START) / DAY)
      else expect(status).toBe('not-due')
    }
    expect(made).toEqual([0, 1, 2, 3, 4])
    const copies = await copiesOf(file)
    expect(copies.map(({ kind, at }) => [kind, (at - START) / DAY])).toEqual([
      ['daily', 4],
      ['daily', 3],
      ['daily', 2],
      ['before', -30],
    ])
    for (const copy of copies) expect(await checkDatabase(copy.file)).toEqual([])
  })

  it('is made once a day also after the clock was set back', async () => {
    const { file } = await filledStore()
    await keepDailyCopy(file, { now: () => START + 100 * DAY })
    expect(await keepDailyCopy(file, { now: () => START })).toMatchObject({ status: 'made' })
    expect(await keepDailyCopy(file, { now: () => START + HOUR })).toEqual({ status: 'not-due' })
  })

  it('is not made on a disk with less room than twice the database', async () => {
    const { store, file } = await filledStore()
    const names = await readdir(store.dataDir)
    const refused = await keepDailyCopy(file, { now: () => START, freeBytes: async () => 1_000 })
    expect(refused).toMatchObject({ status: 'no-room', freeBytes: 1_000 })
    expect(await readdir(store.dataDir)).toEqual(names)
    const { neededBytes } = refused as { neededBytes: number }
    const made = await keepDailyCopy(file, { now: () => START, freeBytes: async () => neededBytes })
    expect(made.status).toBe('made')
  })

  it('is one moment of a database that another process keeps writing to', async () => {
    const store = await scratchStore()
    await fill((await store.open()).db, { tasks: 20, events: 300 })
    await store.close()
    const holder = await startHolder(store.dataDir, 'write')
    onTestFinished(() => holder.kill())
    await holder.said(20)
    const before = Number(holder.lines.at(-1))
    const made = await keepDailyCopy(store.file, { now: () => START })
    await holder.said(holder.lines.length + 5)
    const { file } = made as { file: string }
    expect(await checkDatabase(file)).toEqual([])
    const copy = openReader(file)
    const task = copy.db.selectFrom('tasks').select('last_seq').where('id', '=', 'busy')
    expect((await task.executeTakeFirstOrThrow()).last_seq).toBeGreaterThanOrEqual(before)
    await copy.close()
  })

  it('leaves the older ones and nothing unfinished when it fails', async () => {
    const { store, file } = await filledStore()
    await keepDailyCopy(file, { now: () => START })
    const names = await readdir(store.dataDir)
    const make = async (to: string) => {
      await writeFile(`${to}.4711.unfinished`, 'half')
      await writeFile(`${to}.4711.unfinished-journal`, 'half')
      throw new Error('killed')
    }
    await expect(keepDailyCopy(file, { now: () => START + DAY, make })).rejects.toThrow('killed')
    expect(await readdir(store.dataDir)).toEqual(names)
  })

  it('is not taken of a damaged database', async () => {
    const { store, file } = await filledStore()
    await keepDailyCopy(file, { now: () => START })
    const names = await readdir(store.dataDir)
    const make = async (to: string) => {
      await writeFile(file, 'no database '.repeat(1_000))
      return backupDatabase({ file, to })
    }
    await expect(keepDailyCopy(file, { now: () => START + DAY, make })).rejects.toMatchObject({
      code: 'backup-failed',
    })
    expect(await readdir(store.dataDir)).toEqual(names)
  })
})
