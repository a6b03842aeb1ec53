import { expect, it } from 'vitest'
import { databaseNews } from './start-news.ts'

const repair = {
  damage: 'database disk image is malformed',
  setAside: '/data/drawbridge.db.damaged-1',
  backup: { file: '/data/drawbridge.db.2-daily', at: Date.UTC(2026, 10, 17, 3) },
  salvaged: { tasks: 3, events: 1200, audit: 0 },
  incomplete: ['events'],
}

it('tells of a repair what was wrong, which backup was used, what was read and what may be missing', () => {
  expect(databaseNews({ repair, migrated: null })).toEqual([
    'The database was damaged (database disk image is malformed) and has been repaired. These tables could not be read completely: events. The rest comes from the backup of 2026-11-17 03:00 UTC (/data/drawbridge.db.2-daily); rows that are in neither are missing.',
    'Rows taken from the damaged file: tasks 3, events 1200, audit 0.',
    'The damaged file was kept, unchanged: /data/drawbridge.db.damaged-1',
  ])
})

it('says that there was no backup, or that nothing is missing', () => {
  const [noBackup] = databaseNews({ repair: { ...repair, backup: null }, migrated: null })
  expect(noBackup).toContain(
    'These tables could not be read completely: events. There was no good backup: the rest is missing.',
  )
  const [complete] = databaseNews({ repair: { ...repair, incomplete: [] }, migrated: null })
  expect(complete).toBe(
    'The database was damaged (database disk image is malformed) and has been repaired. Every table could be read to its end: nothing is missing.',
  )
})
