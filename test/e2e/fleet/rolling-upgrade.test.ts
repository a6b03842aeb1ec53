// Workers of two versions on one database: the first of the newer one changes the tables while the older ones work.
import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { expect, it } from 'vitest'
import { openPostgres } from '../../../src/store/index.ts'
import { MIGRATIONS } from '../../../src/store/migrations/index.ts'
import { type ModelRequest, message, shell, toolOutputs } from '../../../src/testing/index.ts'
import { countsOf, LEASE } from '../../support/fleet-facts.ts'
import { openFleet } from '../../support/open-fleet.ts'
import { ALICE } from '../../support/open-tasks.ts'
import { freshDatabase } from '../../support/postgres/fresh-database.ts'
import { serveWorker } from '../../support/serve-worker.ts'
import { questionOf, runTask, taskThat } from '../../support/task-facts.ts'

const asking = (call: ModelRequest) =>
  toolOutputs(call).length > 0 ? message('done') : shell('echo ran', { escalate: 'please' })

function migration(...statements: readonly string[]): Migration {
  return {
    async up(db) {
      for (const statement of statements) await sql.raw(statement).execute(db)
    },
  }
}

/** As every released migration has to be: what earlier versions read and write stays. */
const NEXT = {
  ...MIGRATIONS,
  '999-next': migration(
    'create table next_things (id text primary key)',
    "alter table tasks add column next_fact text not null default 'none'",
    'alter table workers add column next_fact bigint',
    'create index next_index on events (task_id, method)',
  ),
}

it('an older worker goes on with its turn, its question and new tasks beside a newer one; started again it is refused', async () => {
  const { worker, request, url, model } = await openFleet(asking, { fleet: LEASE })
  const older = await worker('older')
  const { id } = await older.tasks.start(request('go', { on: 'older' }), ALICE)
  const question = await questionOf(older.tasks, id)
  const newer = await worker('newer', { migrations: NEXT })
  expect((await newer.tasks.workers()).map(({ name, state }) => [name, state])).toEqual([
    ['newer', 'up'],
    ['older', 'up'],
  ])
  // Asked at the newer, carried out by the older.
  await newer.tasks.decide(question.id, { answer: 'once' }, ALICE)
  await taskThat(newer.tasks, id, ({ status }) => status === 'completed')
  expect(await countsOf(older.tasks, id)).toMatchObject({ agentMessage: 1, 'turn/completed': 1 })
  expect(model.requests).toHaveLength(2)
  const { id: there } = await older.tasks.start(request('there', { on: 'newer' }), ALICE)
  await newer.tasks.decide((await questionOf(older.tasks, there)).id, { answer: 'once' }, ALICE)
  await taskThat(older.tasks, there, ({ status }) => status === 'completed')
  expect([older.incidents, newer.incidents]).toEqual([[], []])
  await older.close()
  await expect(openPostgres({ url })).rejects.toMatchObject({
    code: 'database-too-new',
    message: expect.stringContaining('was last used by a newer Drawbridge (it has 999-next)'),
  })
})

it('a newer worker brings an older database along, with what is in it', async () => {
  const names = Object.keys(MIGRATIONS)
  const before = Object.fromEntries(Object.entries(MIGRATIONS).slice(0, -1))
  const url = await freshDatabase()
  const old = await openPostgres({ url, migrations: before })
  const worker = { id: 'old', boot: 'old', name: 'old', machine: 'old', version: '0.0.1', labels: '[]' }
  const times = { started_at: 1, beat_at: 1, lease_until: 1, capacity: 1, working: 0, commits: 0 }
  await old.db
    .insertInto('workers')
    .values({ ...worker, ...times, state: 'stopped', url: null, public_key: null })
    .execute()
  await old.close()
  const fleet = await openFleet(() => message('done'), { url, fleet: LEASE })
  const a = await fleet.worker('a')
  expect(await runTask(a.tasks, fleet.request('go'))).toMatchObject({ status: 'completed' })
  expect((await a.tasks.workers()).map(({ name, state }) => [name, state])).toContainEqual(['old', 'stopped'])
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(a.db)
  expect(rows.map(({ name }) => name)).toEqual(names)
})

it('an older service that cannot go on with the tables ends, and says that it is too old', async () => {
  const fleet = await openFleet(() => message('done'), { fleet: LEASE })
  const service = await serveWorker('older', { url: fleet.url, ...LEASE })
  const breaking = {
    ...MIGRATIONS,
    '999-breaking': migration('alter table events rename column frame to body'),
  }
  const newer = await openPostgres({ url: fleet.url, migrations: breaking })
  await newer.close()
  const place = { cwd: fleet.cwd, codexHome: fleet.codexHome }
  const started = service.client.tasks.start({ prompt: 'go', ...place }).catch(() => null)
  await expect
    .poll(() => readFileSync(service.toldIn, 'utf8'))
    .toMatch(/^The service ends: .* was last used by a newer Drawbridge \(it has 999-breaking\)\./m)
  await started
})
