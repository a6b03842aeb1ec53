import { describe, expect, it } from 'vitest'
import { TESTED_VERSIONS } from '../../codex/index.ts'
import { judgeCodex } from './codex-check.ts'

const codex = { path: '/opt/codex', source: 'path' } as const

describe('judgeCodex', () => {
  it('says which one was found, and how', () => {
    const { oldest, newest } = TESTED_VERSIONS
    expect(judgeCodex({ ...codex, version: newest })).toEqual({
      id: 'codex',
      status: 'ok',
      what: `codex ${newest}, found on PATH: /opt/codex (tested: ${oldest} to ${newest})`,
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
