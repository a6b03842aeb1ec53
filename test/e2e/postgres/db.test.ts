// `drawbridge db` for a store on PostgreSQL, and the way there and back.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import type { Task } from '../../../src/api/index.ts'
import { message } from '../../../src/testing/index.ts'
import { serviceStage } from '../../support/service-stage.ts'

const ok = () => message('ok')
const SQLITE = { env: { DRAWBRIDGE_DATABASE_URL: 'sqlite' } }

it('is checked beside the service, pruned without it, and backed up with pg_dump', async () => {
  const { cli, json, start, cwd, env } = await serviceStage(ok)
  const { id } = await start('go')
  await json('task', 'wait', id)
  expect(await json('db', 'check')).toMatchObject({ ok: true, findings: [], url: expect.any(String) })
  const backup = await cli(['db', 'backup', path.join(cwd, 'copy.dump')])
  expect(backup).toMatchObject({ code: 1, stdout: '' })
  expect(backup.stderr).toMatch(
    /pg_dump --format=custom --file=\S+copy\.dump --dbname='host=127\.0\.0\.1 port=/,
  )
  expect(backup.stderr).not.toContain(new URL(env.DATABASE_URL!).password)
  expect(await cli(['db', 'prune'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is in use by'),
  })
  await cli(['stop'])
  expect(await json('db', 'prune')).toMatchObject({ tasks: [], trimmed: [] })
})

it('moves from SQLite to PostgreSQL and back, with every task', async () => {
  const { cli, cwd, dataDir, env } = await serviceStage(ok)
  const tasksOn = async (more: typeof SQLITE | undefined) => {
    const { stdout } = await cli(['task', 'list', '--json'], more)
    return (JSON.parse(stdout) as Task[]).map(({ id, status }) => [id, status])
  }
  await cli(['task', 'start', 'go', '--wait'], SQLITE)
  const tasks = await tasksOn(SQLITE)
  expect(tasks).toMatchObject([[expect.any(String), 'completed']])
  const running = await cli(['db', 'move'])
  expect(running).toMatchObject({ code: 1, stderr: expect.stringContaining('is in use by process') })
  await cli(['stop'], SQLITE)

  expect(await tasksOn(undefined)).toEqual([])
  expect(readFileSync(path.join(dataDir, 'service.log'), 'utf8')).toMatch(/has no tasks yet, and those in /)
  await cli(['stop'])
  const moved = await cli(['db', 'move'])
  expect(moved).toMatchObject({ code: 0, stdout: '' })
  expect(moved.stderr).toMatch(/Copied \d+ rows to postgres:.*, read back and compared: .*tasks 1/)
  expect(await tasksOn(undefined)).toEqual(tasks)
  // Its thread is on this machine, and goes on there.
  const [[id]] = tasks as [[string, string]]
  await cli(['task', 'send', id, 'more'])
  const { stdout } = await cli(['task', 'wait', id, '--json'])
  expect(JSON.parse(stdout)).toMatchObject({ status: 'completed', turnCount: 2 })
  await cli(['stop'])

  const again = await cli(['db', 'move', '--to', 'env:DATABASE_URL'])
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('the target has rows already') })
  const file = path.join(cwd, 'back', 'drawbridge.db')
  const back = await cli(['db', 'move', '--from', '-', '--to', file, '--json'], { stdin: env.DATABASE_URL! })
  expect(JSON.parse(back.stdout)).toMatchObject({ to: file, tables: expect.any(Array) })
  expect(await tasksOn({ env: { ...SQLITE.env, DRAWBRIDGE_HOME: path.dirname(file) } as never })).toEqual(
    tasks,
  )
  await cli(['stop', '--data-dir', path.dirname(file)])
  const { password } = new URL(env.DATABASE_URL!)
  for (const { stdout, stderr } of [running, moved, again, back])
    expect(stdout + stderr).not.toContain(password)
})

it('refuses a place that is none without repeating it', async () => {
  const { cli } = await serviceStage(ok)
  for (const [args, stdin] of [
    [['--to', '-'], 'hunter22'],
    [['--to', 'env:NOWHERE'], ''],
    [['--to', 'mysql://root:hunter22@db/x'], ''],
    [['--to', 'sqlite', '--from', 'other.db'], ''],
    [['--to', '-', '--from', '-'], ''],
  ] as const) {
    const end = await cli(['db', 'move', ...args], { stdin })
    expect(end).toMatchObject({ code: 2, stdout: '' })
    expect(end.stderr).not.toContain('hunter22')
  }
})
