import { expect, it } from 'vitest'
import { LeaseLostError } from '../../store/index.ts'
import type { Task } from '../../tasks/index.ts'
import { databaseNews, takeOver } from './start-news.ts'

const SOUND = { migrated: null, unusedFile: null, shownPlace: '/data/drawbridge.db' }

const repair = {
  damage: 'database disk image is malformed',
  setAside: '/data/drawbridge.db.damaged-1',
  backup: { file: '/data/drawbridge.db.2-daily', at: Date.UTC(2026, 10, 17, 3) },
  salvaged: { tasks: 3, events: 1200, audit: 0 },
  incomplete: ['events'],
}

it('tells of a repair what was wrong, which backup was used, what was read and what may be missing', () => {
  expect(databaseNews({ repair, ...SOUND })).toEqual([
    'The database was damaged (database disk image is malformed) and has been repaired. These tables could not be read completely: events. The rest comes from the backup of 2026-11-17 03:00 UTC (/data/drawbridge.db.2-daily); rows that are in neither are missing.',
    'Rows taken from the damaged file: tasks 3, events 1200, audit 0.',
    'The damaged file was kept, unchanged: /data/drawbridge.db.damaged-1',
  ])
})

it('says that there was no backup, or that nothing is missing', () => {
  const [noBackup] = databaseNews({ repair: { ...repair, backup: null }, ...SOUND })
  expect(noBackup).toContain(
    'These tables could not be read completely: events. There was no good backup: the rest is missing.',
  )
  const [complete] = databaseNews({ repair: { ...repair, incomplete: [] }, ...SOUND })
  expect(complete).toBe(
    'The database was damaged (database disk image is malformed) and has been repaired. Every table could be read to its end: nothing is missing.',
  )
})

it('says that the tasks of the SQLite file are not used by a new PostgreSQL', () => {
  const shared = { repair: null, migrated: null, shownPlace: 'postgres://me@db/drawbridge' }
  expect(databaseNews({ ...shared, unusedFile: null })).toEqual([])
  expect(databaseNews({ ...shared, unusedFile: '/data/drawbridge.db' })).toEqual([
    'postgres://me@db/drawbridge has no tasks yet, and those in /data/drawbridge.db are not used. To copy them: drawbridge db move',
  ])
  const migrated = { from: '001-first', to: '002-usage', backup: null }
  expect(databaseNews({ ...shared, migrated, unusedFile: null })).toEqual([
    'The database was brought from 001-first to 002-usage.',
  ])
})

it('opens the door though a codex does not answer, and tells what was found as soon as it does', async () => {
  const recovered = Promise.withResolvers<void>()
  const task = { id: 'one', turnId: 'turn', status: 'working' } as unknown as Task
  const tasks = {
    open: async () => {},
    running: async () => [task],
    get: async () => task,
    recovered: recovered.promise,
  }
  const told: string[] = []
  await takeOver(tasks, { list: () => [] }, { tell: (line) => told.push(line), patienceMs: 1 })
  expect(told).toEqual([
    'Tasks that were at work are still being looked for: their codex does not answer yet. Others go on.',
  ])
  recovered.resolve()
  await expect.poll(() => told.at(-1)).toBe('Found 1 task at work again.')
})

it('does not open when the tasks cannot be looked for', async () => {
  const recovered = Promise.reject(new Error('the store is broken'))
  const tasks = {
    open: async () => {},
    running: async () => [],
    get: async () => expect.unreachable(),
    recovered,
  }
  await expect(takeOver(tasks, { list: () => [] }, { tell: () => {} })).rejects.toThrow('the store is broken')
})

it('opens when the worker was declared lost meanwhile: it joins again, and tells of that itself', async () => {
  const recovered = Promise.reject(new LeaseLostError())
  const tasks = {
    open: async () => {},
    running: async () => [],
    get: async () => expect.unreachable(),
    recovered,
  }
  const told: string[] = []
  await takeOver(tasks, { list: () => [] }, { tell: (line) => told.push(line) })
  expect(told).toEqual([])
})
