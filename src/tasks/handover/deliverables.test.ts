import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { describe, expect, it, onTestFinished } from 'vitest'
import { STORES } from '../../../test/support/stores.ts'
import { addEndedTask } from '../../store/fixtures/ended-task.ts'
import { makeScratchStore } from '../../store/fixtures/scratch-store.ts'
import { moveStore } from '../../store/move/move-store.ts'
import { prune } from '../../store/upkeep/retention.ts'
import { openDeliverables } from './fixtures/open-deliverables.ts'

async function* of(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text)
}

async function* broken(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('half')
  throw new Error('the file was changed')
}

const given = { path: 'out/a.txt', title: 'A', note: null, turnId: null }

async function textOf(bytes: AsyncIterable<Uint8Array> | null): Promise<string | null> {
  if (bytes === null) return null
  let text = ''
  for await (const chunk of bytes) text += Buffer.from(chunk).toString()
  return text
}

async function scratchFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'deliverables-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

describe.each(STORES)('on $name', ({ name, make }) => {
  async function stage() {
    const folder = await scratchFolder()
    const store = await (await make()).open()
    await addEndedTask(store.db, 'task', {})
    const parts = async () =>
      name === 'SQLite'
        ? (await readdir(path.join(folder, 'task')).catch(() => [])).length
        : (
            await sql<{
              n: number
            }>`select count(distinct deliverable_id) as n from deliverable_parts`.execute(store.db)
          ).rows[0]!.n
    return { ...store, ...openDeliverables(store, { folder }), folder, parts }
  }

  it('keeps bytes and row together: both, or neither', async () => {
    const { deliverables, parts, db } = await stage()
    await expect(deliverables.deliver('task', { ...given, bytes: broken() })).rejects.toThrow('was changed')
    expect(Number(await parts())).toBe(0)
    const first = await deliverables.deliver('task', { ...given, bytes: of('one', '', 'two') })
    expect(first).toMatchObject({ number: 1, bytes: 6, status: 'pending', name: 'a.txt' })
    // The same again before an answer is the same; another content is another.
    expect(await deliverables.deliver('task', { ...given, bytes: of('onetwo') })).toEqual(first)
    const second = await deliverables.deliver('task', { ...given, bytes: of('x'.repeat(1_200_000)) })
    expect(second.number).toBe(2)
    expect(Number(await parts())).toBe(2)
    expect(await textOf((await deliverables.content('task', 1)).bytes)).toBe('onetwo')
    expect(await textOf((await deliverables.content('task', 2)).bytes)).toBe('x'.repeat(1_200_000))
    await expect(deliverables.deliver('gone', { ...given, bytes: of('x') })).rejects.toMatchObject({
      code: 'task-not-found',
    })
    const retention = { taskMaxAgeMs: 1, eventMaxAgeMs: null, maxBytes: null }
    await db.updateTable('tasks').set({ ended_at: 1 }).execute()
    expect((await prune(db, { retention, now: Date.now() + 100_000_000 })).tasks).toEqual(['task'])
    if (name === 'PostgreSQL') expect(Number(await parts())).toBe(0)
  })

  it('knows the folders that the token of a task is bound to', async () => {
    const { deliverables, db } = await stage()
    expect(await deliverables.within('task')).toBeNull()
    await db.updateTable('tasks').set({ within: '["/w"]' }).execute()
    expect(await deliverables.within('task')).toEqual(['/w'])
  })

  it('answers once, whoever comes at the same time, and tells the model once', async () => {
    const { deliverables, told } = await stage()
    await deliverables.deliver('task', { ...given, bytes: of('one') })
    await expect(
      deliverables.answer('task', 1, { verdict: 'sent-back' }, { actor: 'a' }),
    ).rejects.toMatchObject({
      code: 'bad-request',
    })
    const answers = await Promise.allSettled(
      ['a', 'b', 'c', 'd'].map((actor) =>
        deliverables.answer('task', 1, { verdict: 'sent-back', words: `says ${actor}` }, { actor }),
      ),
    )
    const won = answers.filter(({ status }) => status === 'fulfilled')
    expect(won).toHaveLength(1)
    expect(told).toHaveLength(1)
    expect(await deliverables.list('task')).toMatchObject([
      { status: 'sent-back', words: expect.any(String) },
    ])
    for (const answer of answers)
      if (answer.status === 'rejected')
        expect(answer.reason).toMatchObject({
          code: 'deliverable-answered',
          details: { deliverable: { number: 1 } },
        })
    // An acceptance without words begins no turn.
    await deliverables.deliver('task', { ...given, bytes: of('two') })
    await deliverables.answer('task', 2, { verdict: 'accepted' }, { actor: 'a' })
    expect(told).toHaveLength(1)
  })
})

it('moves bytes between the databases, and back', async () => {
  const [sqlite, postgres, again] = await Promise.all([...STORES, STORES[0]].map(({ make }) => make()))
  const [from, to, back] = await Promise.all([sqlite!, postgres!, again!].map((store) => store.open()))
  const [folder, other] = [await scratchFolder(), await scratchFolder()]
  await addEndedTask(from!.db, 'task', {})
  const { deliverables } = openDeliverables(from!, { folder })
  await deliverables.deliver('task', { ...given, bytes: of('y'.repeat(800_000)) })
  await moveStore({ from: from!, to: to!, deliverablesDir: folder })
  const there = openDeliverables(to!, { folder: other }).deliverables
  expect(await textOf((await there.content('task', 1)).bytes)).toBe('y'.repeat(800_000))
  await moveStore({ from: to!, to: back!, deliverablesDir: other })
  const here = openDeliverables(back!, { folder: other }).deliverables
  expect(await textOf((await here.content('task', 1)).bytes)).toBe('y'.repeat(800_000))
})

it.each([
  ['reading', 0],
  ['kept', 0],
  ['stored', 1],
])('killed at %s: no half deliverable, and no row without bytes', async (step, count) => {
  const scratch = await makeScratchStore()
  onTestFinished(() => scratch.remove())
  await addEndedTask((await scratch.open()).db, 'task', {})
  await scratch.close()
  const program = fileURLToPath(new URL('./fixtures/deliver-and-die.ts', import.meta.url))
  const child = spawn(process.execPath, [program, scratch.dataDir, 'task', step], { stdio: 'inherit' })
  expect((await once(child, 'exit'))[1]).toBe('SIGKILL')

  const store = await scratch.open()
  const folder = path.join(scratch.dataDir, 'deliverables')
  expect(await readdir(path.join(folder, 'task'))).toHaveLength(1)
  const { deliverables, files } = openDeliverables(store, { folder })
  await files.sweep()
  expect(await deliverables.list('task')).toHaveLength(count)
  if (count === 0) expect(await readdir(folder)).not.toContain('task')
  else expect((await textOf((await deliverables.content('task', 1)).bytes))!.length).toBe(1_400_000)
})
