import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readSettings, settingsFile } from './read-settings.ts'

function folderWith(settings?: unknown): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'settings-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  if (settings !== undefined)
    writeFileSync(settingsFile(folder), typeof settings === 'string' ? settings : JSON.stringify(settings))
  return folder
}

describe('settings', () => {
  it('are complete without a file', () => {
    expect(readSettings(folderWith(), {})).toMatchObject({
      host: '127.0.0.1',
      port: null,
      maxWorking: 8,
      notify: [],
      retention: { taskMaxAgeMs: null, eventMaxAgeMs: 90 * 86_400_000 },
      backup: { daily: true },
    })
  })

  it('come from the file, in the units the service uses', () => {
    const settings = readSettings(
      folderWith({
        targets: { team: 'slack:https://hooks.slack.com/services/x' },
        notify: ['team'],
        retention: { taskMaxAgeDays: 30 },
        appServers: { max: 2 },
        backup: { daily: false },
      }),
      {},
    )
    expect(settings.retention).toMatchObject({
      taskMaxAgeMs: 30 * 86_400_000,
      eventMaxAgeMs: 90 * 86_400_000,
    })
    expect(settings.appServers).toEqual({ maxAppServers: 2 })
    expect(settings.backup).toEqual({ daily: false })
    expect(settings.targets).toEqual({ team: 'slack:https://hooks.slack.com/services/x' })
  })

  it('protect the well-known places of logins unless a list says otherwise', () => {
    expect(readSettings(folderWith(), {}).protectedPaths).toContain('~/.ssh')
    expect(readSettings(folderWith({ protectedPaths: ['/x'] }), {}).protectedPaths).toEqual(['/x'])
  })

  it('give way to the environment', () => {
    const env = { DRAWBRIDGE_PORT: '0', DRAWBRIDGE_NOTIFY: 'local, team', DRAWBRIDGE_MAX_WORKING: '3' }
    expect(readSettings(folderWith({ port: 4200 }), env)).toMatchObject({
      port: 0,
      notify: ['local', 'team'],
      maxWorking: 3,
    })
  })

  it.each([
    ['{', /settings\.json is not JSON/],
    [{ maxWorkign: 3 }, /settings\.json: .*maxWorkign/],
    [{ maxWorking: 0 }, /settings\.json: maxWorking: /],
    [{ protectedPaths: ['~/.ssh', 'secrets'] }, /protectedPaths\.1: must begin with/],
    [{ smtp: { url: 'http://x', from: 'a@b' } }, /smtp\.url: must begin with smtps:/],
  ])('that are wrong are told by name: %j', (written, message) => {
    expect(() => readSettings(folderWith(written), {})).toThrow(message)
  })

  it('of the environment that are wrong are told by the name of the variable', () => {
    expect(() => readSettings(folderWith(), { DRAWBRIDGE_PORT: 'x' })).toThrow(/^DRAWBRIDGE_PORT: port: /)
  })
})
