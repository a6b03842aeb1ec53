import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { unusableIfRefused } from './unusable.ts'

const file = path.join(tmpdir(), 'drawbridge.db')
const failure = (fields: object, message = 'no') => Object.assign(new Error(message), fields)
const ofSqlite = (errcode: number, message: string) => failure({ code: 'ERR_SQLITE_ERROR', errcode }, message)

it.each([failure({ code: 'ENOSPC' }), failure({ code: 'EDQUOT' }), ofSqlite(13, 'database or disk is full')])(
  'names the data folder whose disk is full: %s',
  (cause) => {
    expect(unusableIfRefused(file, cause)).toMatchObject({
      code: 'database-unusable',
      message: `cannot use ${file}: the disk of ${tmpdir()} is full. Make room, then try again`,
      cause,
    })
  },
)

it('says that the folder cannot be written when SQLite does not', () => {
  const cause = ofSqlite(14, 'unable to open database file')
  expect(unusableIfRefused('/nowhere/drawbridge.db', cause)).toMatchObject({
    message: expect.stringContaining('/nowhere cannot be written'),
  })
  expect(unusableIfRefused(file, cause)).toMatchObject({
    message: `cannot use ${file}: unable to open database file. Check its owner, its rights and the disk.`,
  })
})

it('leaves everything else as it is', () => {
  const bug = new TypeError('bug')
  expect(unusableIfRefused(file, bug)).toBe(bug)
})
