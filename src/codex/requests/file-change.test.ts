import { describe, expect, it } from 'vitest'
import { fileChange } from './file-change.ts'
import { facts, PLACE } from './fixtures/facts.ts'

const changes = [
  { path: '/srv/a', kind: { type: 'add' as const }, diff: 'one\n' },
  { path: '/srv/b', kind: { type: 'delete' as const }, diff: 'two\n' },
]

describe('a file change', () => {
  it('is shown with the changes of its item and the thread’s folder', () => {
    expect(fileChange.ask!({ ...PLACE, reason: 'why' }, facts({ changes }))).toMatchObject({
      kind: 'file-change',
      title: 'change /srv/a and 1 more',
      changes,
      cwd: '/repo',
      reason: 'why',
      grantRoot: null,
      choices: [
        { word: 'once', lasts: 'now' },
        { word: 'session', lasts: 'thread' },
        { word: 'deny', lasts: 'now' },
        { word: 'cancel', lasts: 'now' },
      ],
    })
  })

  it('is named from the folder of the thread, and in full when it lies outside', () => {
    const titleOf = (path: string) => {
      const changed = [{ path, kind: { type: 'delete' as const }, diff: '' }]
      return fileChange.ask!({ ...PLACE }, facts({ changes: changed })).title
    }
    expect(titleOf('/repo/src/a.ts')).toBe('change src/a.ts')
    expect(titleOf('/repo/../etc/passwd')).toBe('change ../etc/passwd')
    expect(titleOf('/repository/a.ts')).toBe('change /repository/a.ts')
  })

  it('says in its title that a whole folder is asked for', () => {
    const question = fileChange.ask!({ ...PLACE, grantRoot: '/other' }, facts())
    expect(question).toMatchObject({
      title: 'change files, and write anywhere below /other',
      grantRoot: '/other',
    })
  })

  it('is answered in codex’s words', () => {
    const reply = (answer: string) => fileChange.reply!(answer as never, { ...PLACE }, facts())
    expect(reply('once')).toEqual({ decision: 'accept' })
    expect(reply('session')).toEqual({ decision: 'acceptForSession' })
    expect(reply('deny')).toEqual({ decision: 'decline' })
    expect(reply('cancel')).toEqual({ decision: 'cancel' })
    expect(() => reply('always')).toThrow(expect.objectContaining({ code: 'bad-answer' }))
    expect(fileChange.refuse({ ...PLACE }, facts())).toEqual({ decision: 'decline' })
  })
})
