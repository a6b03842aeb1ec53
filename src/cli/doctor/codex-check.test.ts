import { describe, expect, it } from 'vitest'
import { judgeCodex, NEWEST_TESTED_CODEX } from './codex-check.ts'

const codex = { path: '/opt/codex', source: 'path' } as const

describe('judgeCodex', () => {
  it('says which one was found, and how', () => {
    expect(judgeCodex({ ...codex, version: NEWEST_TESTED_CODEX })).toEqual({
      id: 'codex',
      status: 'ok',
      what: `codex ${NEWEST_TESTED_CODEX}, found on PATH: /opt/codex`,
      fix: null,
    })
  })

  it('warns of one that is newer than any we have tested', () => {
    expect(judgeCodex({ ...codex, version: '0.1000.0' })).toMatchObject({ status: 'warn' })
    expect(judgeCodex({ ...codex, version: '1.0.0' }).what).toContain('newer than tested')
  })

  it('compares numbers, not text', () => {
    expect(judgeCodex({ ...codex, version: '0.166.0' }).status).toBe('ok')
    expect(judgeCodex({ ...codex, version: '0.99.9' }).status).toBe('ok')
  })
})
