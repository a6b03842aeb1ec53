// What is particular to a service on PostgreSQL, besides everything that holds on both stores.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Status, Task } from '../../../src/api/index.ts'
import { message, shell, toolOutputs } from '../../../src/testing/index.ts'
import { startPostgres } from '../../support/postgres/server.ts'
import { serviceStage } from '../../support/service-stage.ts'

const ok = () => message('ok')

function passwordOf({ env }: { env: Record<string, string> }): string {
  return new URL(env.DATABASE_URL!).password
}

/** Everything the service has written into its data folder. */
function writtenIn(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile())
  return files.map(({ parentPath, name }) => readFileSync(path.join(parentPath, name), 'latin1')).join('\n')
}

describe('a service on PostgreSQL', () => {
  it('says which database it uses, and shows its password nowhere', async () => {
    const stage = await serviceStage(ok)
    const { cli, json, start, dataDir } = stage
    const { id } = await start('go')
    await json('task', 'wait', id)
    const status = await json<Status>('status')
    expect(status.database).toMatchObject({
      kind: 'postgres',
      place: expect.stringMatching(/^postgres:\/\//),
    })
    const said = [await cli(['status']), await cli(['doctor'])]
    for (const { stdout } of said) expect(stdout).toContain(status.database!.place)
    expect(readdirSync(dataDir)).not.toContain('drawbridge.db')
    const all = [JSON.stringify(status), ...said.flatMap(({ stdout, stderr }) => [stdout, stderr])]
    expect([...all, writtenIn(dataDir)].join('\n')).not.toContain(passwordOf(stage))
    const log = readFileSync(path.join(dataDir, 'service.log'), 'utf8')
    expect(log).toContain(`tasks in ${status.database!.place}`)
  })

  it('keeps tasks over a restart', async () => {
    const { cli, json, start } = await serviceStage(ok)
    const { id } = await start('go')
    await json('task', 'wait', id)
    await cli(['stop'])
    expect(await json<Task[]>('task', 'list')).toMatchObject([{ id, status: 'completed' }])
  })

  it('gives neither codex nor its commands the address', async () => {
    const stage = await serviceStage((request) =>
      toolOutputs(request).length > 0 ? message('seen') : shell('env; tr "\\0" "\\n" < /proc/$PPID/environ'),
    )
    const { id } = await stage.start('look')
    await stage.json('task', 'wait', id)
    const outputs = JSON.stringify(stage.model.requests)
    expect(outputs).toContain('CODEX_HOME=')
    const { appServers } = await stage.json<{ appServers: { pid: number }[] }>('status')
    const environment = readFileSync(`/proc/${appServers[0]!.pid}/environ`, 'utf8')
    expect(environment).toContain('CODEX_HOME=')
    for (const seen of [outputs, environment]) {
      expect(seen).not.toContain('DATABASE_URL')
      expect(seen).not.toContain(passwordOf(stage))
    }
  })

  it('that is another program’s is refused in one line', async () => {
    const { cli } = await serviceStage(ok)
    const end = await cli(['serve'], { env: { DATABASE_URL: 'mysql://root:hunter22@db/shop' } })
    expect(end).toMatchObject({ code: 2, stdout: '' })
    expect(end.stderr).toMatch(
      /^drawbridge: DATABASE_URL is not the address of a PostgreSQL .* to sqlite\.\n$/,
    )
    expect(end.stderr).not.toContain('hunter22')
  })
})

describe('a database that goes away', () => {
  it('is told by every door, and the service goes on when it is back', async () => {
    const server = await startPostgres()
    onTestFinished(() => server.close())
    const { cli, json, record, env } = await serviceStage(ok)
    env.DATABASE_URL = server.url('postgres')
    await json('task', 'list')
    const { url } = record()
    expect(await (await fetch(`${url}/healthz`)).json()).toEqual({ status: 'ok' })
    await server.stop('immediate')
    await expect.poll(async () => (await fetch(`${url}/healthz`)).status).toBe(503)
    const end = await cli(['task', 'list'])
    expect(end).toMatchObject({ code: 1, stdout: '' })
    expect(end.stderr).toMatch(/^drawbridge: .*: check that it runs, and its address in DATABASE_URL.*\n$/)
    expect(end.stderr).not.toContain(server.password)
    await server.start()
    await expect.poll(async () => (await fetch(`${url}/healthz`)).status).toBe(200)
    expect(await json('task', 'list')).toEqual([])
  })

  it('does not keep the service from being stopped', async () => {
    const server = await startPostgres()
    onTestFinished(() => server.close())
    const { cli, json, env } = await serviceStage(ok)
    env.DATABASE_URL = server.url('postgres')
    await json('task', 'list')
    await server.stop('immediate')
    expect(await cli(['stop'])).toMatchObject({ code: 0 })
    expect(await cli(['status'])).toMatchObject({ code: 1 })
  })
})
