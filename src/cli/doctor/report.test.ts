import { describe, expect, it } from 'vitest'
import { fail, ok, warn } from './check.ts'
import { exitCodeOf, type Report, reportText } from './report.ts'

const plain = { columns: Number.POSITIVE_INFINITY, paint: (text: string) => text }
const codex = { path: '/opt/codex', source: 'path', version: '0.166.0' } as const

function report(checks: Report['checks'], found: Report['codex'] = codex): Report {
  const isOk = checks.every(({ status }) => status !== 'fail')
  return { ok: isOk, drawbridge: '0', node: '24', codex: found, codexHome: null, dataFolder: '/data', checks }
}

describe('reportText', () => {
  it('aligns the checks, indents the fixes and ends with a verdict', () => {
    const checks = [ok('node', 'Node 24'), warn('notice', 'odd'), fail('sandbox', 'broken', 'mend it')]
    expect(reportText(report(checks), plain)).toBe(
      [
        '✓ node     Node 24',
        '! notice   odd',
        '✗ sandbox  broken',
        '           → mend it',
        '',
        'Not ready: 1 problem to fix first (1 warning).',
        '',
      ].join('\n'),
    )
  })

  it('breaks long lines at spaces, below their beginning', () => {
    const text = reportText(report([ok('node', 'one two three /a/very/long/path')]), {
      ...plain,
      columns: 16,
    })
    expect(text.split('\n').slice(0, 3)).toEqual([
      '✓ node  one two',
      '        three',
      '        /a/very/long/path',
    ])
  })

  it('is ready in spite of warnings', () => {
    expect(reportText(report([warn('notice', 'odd')]), plain)).toMatch(/Ready: .*\(1 warning\)\.\n$/)
  })
})

describe('exitCodeOf', () => {
  it('tells a missing codex from other failures', () => {
    expect(exitCodeOf(report([warn('notice', 'odd')]))).toBe(0)
    expect(exitCodeOf(report([fail('login', 'nobody')]))).toBe(1)
    expect(exitCodeOf(report([fail('codex', 'none')], null))).toBe(5)
  })
})
