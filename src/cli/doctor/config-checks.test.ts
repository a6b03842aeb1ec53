import { describe, expect, it } from 'vitest'
import type { CodexNotification } from '../../codex/index.ts'
import { judgeConfig } from './config-checks.ts'

const file = '/home/me/.codex/config.toml'
const notice = (method: string, params: object) => ({ method, params }) as CodexNotification
const broken = notice('configWarning', {
  summary: 'Invalid configuration; using defaults.',
  details: `${file}:2:5: unclosed table`,
  path: file,
})
const bubblewrap = notice('configWarning', { summary: 'Codex could not find bubblewrap.', details: null })

describe('judgeConfig', () => {
  it('says what is set when the settings load', () => {
    const config = { model: 'gpt-x', model_provider: 'own' } as never
    const checks = judgeConfig({ config }, { file, hasFile: true, notices: [] })
    expect(checks).toMatchObject([
      { id: 'config', status: 'ok', what: `${file} loads: model gpt-x, provider own` },
    ])
  })

  it('fails with what codex warned of when it could not read them, and says it once', () => {
    const checks = judgeConfig(
      { error: new Error('codex refused config/read') },
      { file, hasFile: true, notices: [bubblewrap, broken] },
    )
    expect(checks.map(({ id, status }) => `${id} ${status}`)).toEqual(['config fail', 'notice warn'])
    expect(checks[0]?.what).toBe(`Invalid configuration; using defaults. ${file}:2:5: unclosed table`)
  })

  it('fails with the refusal when there was no warning', () => {
    const [check] = judgeConfig({ error: new Error('refused') }, { file, hasFile: true, notices: [] })
    expect(check).toMatchObject({ status: 'fail', what: 'refused' })
  })

  it('passes on every warning, with the file it is about, on one line each', () => {
    const notices = [
      notice('configWarning', { summary: 'Odd.', details: 'Two\n  lines.', path: '/etc/codex/config.toml' }),
      notice('deprecationNotice', { summary: 'Old.', details: 'Use new.' }),
      notice('warning', { message: 'Careful.', threadId: null }),
      notice('remoteControl/status/changed', {}),
    ]
    const checks = judgeConfig({ config: {} as never }, { file, hasFile: false, notices })
    expect(checks.slice(1).map(({ what }) => what)).toEqual([
      '/etc/codex/config.toml: Odd. Two lines.',
      'Old. Use new.',
      'Careful.',
    ])
  })
})
