import { expect, it } from 'vitest'
import { databaseNews } from './start-news.ts'

it('tells of a repair what was wrong, how much of each table was saved, and what may be lost', () => {
  const repair = {
    damage: 'database disk image is malformed',
    setAside: '/data/drawbridge.db.damaged-1',
    salvaged: { tasks: 3, events: 1200, audit: 0 },
    incomplete: ['events'],
  }
  expect(databaseNews({ repair, migrated: null })).toEqual([
    'The database was damaged (database disk image is malformed) and has been repaired; rows may be missing of events. The old file is /data/drawbridge.db.damaged-1',
    'Rows saved: tasks 3, events 1200, audit 0.',
  ])
})
