// The SQLite file of a data folder, as people handle it with `drawbridge db`. PostgreSQL has no such file.
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Task } from '../../../src/api/index.ts'
import { lastUserText, message, slow } from '../../../src/testing/index.ts'
import type { CliEnd } from '../../support/run-cli.ts'
import { serviceStage } from '../../support/service-stage.ts'

const ok = () => message('ok')

function oneLine(end: CliEnd): string {
  expect(end.stdout).toBe('')
  expect(end.stderr).toMatch(/^drawbridge: .*\n$/)
  return end.stderr
}

function writeSettings(dataDir: string, settings: object): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  writeFileSync(path.join(dataDir, 'settings.json'), JSON.stringify(settings))
}

describe('db', () => {
  it('is backed up and checked beside the running service, and pruned without one', async () => {
    const { cli, json, start, cwd } = await serviceStage(() => message('ok'))
    const { id } = await start('go')
    await json('task', 'wait', id)
    const file = path.join(cwd, 'copy.db')
    expect(await json('db', 'backup', file)).toMatchObject({ file, bytes: statSync(file).size })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(await cli(['db', 'backup', file])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('exists'),
    })
    expect(await cli(['db', 'backup', file, '--overwrite'])).toMatchObject({ code: 0 })
    expect(await json('db', 'check')).toMatchObject({ ok: true, findings: [] })
    expect(await cli(['db', 'prune'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is in use by'),
    })
    await cli(['stop'])
    expect(await json('db', 'prune')).toMatchObject({ tasks: [], trimmed: [] })
    expect(await json('db', 'check')).toMatchObject({ ok: true })
  })

  it('that is damaged goes on from its backup; the start, check and doctor say so', async () => {
    const { cli, json, start, dataDir } = await serviceStage(() => message('ok'))
    const { id } = await start('go')
    await json('task', 'wait', id)
    const file = path.join(dataDir, 'drawbridge.db')
    await json('db', 'backup', `${file}.2026-11-17T03-00-00-000Z-daily`)
    await cli(['stop'])
    writeFileSync(file, Buffer.alloc(4096), { flag: 'r+' })
    expect(await cli(['db', 'check'])).toMatchObject({
      code: 1,
      stdout: 'damage: file is not a database\n',
      stderr: expect.stringMatching(
        /^The next start of the service keeps the damaged file under another name/,
      ),
    })
    expect(await json<Task[]>('task', 'list')).toMatchObject([{ id, status: 'completed' }])
    const [said] = readFileSync(path.join(dataDir, 'service.log'), 'utf8').match(/The database was .*/) ?? []
    expect(said).toContain('The rest comes from the backup of 2026-11-17 03:00 UTC')
    const check = await cli(['db', 'check'])
    expect(check).toMatchObject({ code: 0, stderr: expect.stringContaining('all is well') })
    expect(check.stderr.split('\n')[0]).toBe(said)
    const doctor = JSON.parse((await cli(['doctor', '--json'])).stdout) as { checks: object[] }
    expect(doctor.checks).toContainEqual(expect.objectContaining({ id: 'database', status: 'warn' }))
  })

  it('that goes on from a backup runs nothing by itself that was queued then', async () => {
    const stage = await serviceStage((request) =>
      lastUserText(request) === 'first' ? [slow(60_000), message('never')] : message('ran'),
    )
    const { cli, json, start, dataDir, model } = stage
    writeSettings(dataDir, { maxWorking: 1 })
    const first = await start('first')
    await model.waitForRequests(1)
    const second = await start('second')
    const file = path.join(dataDir, 'drawbridge.db')
    await json('db', 'backup', `${file}.2026-11-17T03-00-00-000Z-daily`)
    await cli(['stop', '--now'])
    writeFileSync(file, Buffer.alloc(4096), { flag: 'r+' })
    expect(await json('task', 'show', first.id)).toMatchObject({ task: { status: 'working' } })
    expect(await json('task', 'show', second.id)).toMatchObject({
      task: {
        status: 'failed',
        reason: expect.stringContaining('the database was repaired: resume the task to run it'),
      },
    })
    await cli(['task', 'interrupt', first.id])
    expect(model.requests).toHaveLength(1)
    await json('task', 'resume', second.id)
    expect(await json('task', 'wait', second.id)).toMatchObject({ result: { text: 'ran' } })
  })

  it('that is not there is told in one line', async () => {
    const { cli } = await serviceStage(() => message('ok'))
    expect(await cli(['db', 'check'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^drawbridge: there is no database at .*\n$/),
    })
  })
})

describe('db backup', () => {
  it('names the option that replaces a file, and a folder that is missing', async () => {
    const { cli, cwd } = await serviceStage(ok)
    await cli(['task', 'list'])
    const file = path.join(cwd, 'copy.db')
    writeFileSync(file, 'mine')
    const end = await cli(['db', 'backup', file])
    expect(end.code).toBe(1)
    expect(oneLine(end)).toContain(`${file} exists: choose another file, or replace it with --overwrite`)
    const missing = await cli(['db', 'backup', path.join(cwd, 'no', 'copy.db')])
    expect(missing.code).toBe(2)
    expect(oneLine(missing)).toContain(`there is no folder ${path.join(cwd, 'no')}`)
  })
})
