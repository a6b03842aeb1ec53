// What the model hands over and says while it works. The real codex calls the built-in tools.
import { createHash } from 'node:crypto'
import { mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { functionCall, message, toolOutputs } from '../../../src/testing/index.ts'
import { ALICE, allEvents, openTasks } from '../../support/open-tasks.ts'
import { HOST } from '../../support/tool-set.ts'

type Opened = Awaited<ReturnType<typeof openTasks>>
type Given = Readonly<Record<string, unknown>>

const call = (name: string, given: Given) => functionCall(name, given, { namespace: HOST })

/** The model makes these calls one after the other, then answers with what it was told. */
function making(...calls: readonly ReturnType<typeof call>[]) {
  return (asked: Parameters<typeof toolOutputs>[0]) => {
    const outputs = toolOutputs(asked)
    return calls[outputs.length] ?? message(outputs.map(({ text }) => text).join(' | '))
  }
}

async function own(tasks: Opened['tasks'], taskId: string, method: string) {
  return (await allEvents(tasks, taskId))
    .filter((event) => event.method === method)
    .map(({ frame }) => JSON.parse(frame).params)
}

async function textOf(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of bytes) chunks.push(chunk)
  return Buffer.concat(chunks)
}

it('keeps a file that is handed over, answers it once, and tells the model, over a restart', async () => {
  const binary = Buffer.from(Array.from({ length: 300_000 }, (_, at) => (at * 7) % 256))
  const opened = await openTasks(
    making(
      call('deliver', { path: 'out/report.bin', title: 'The report', note: 'Final.' }),
      call('deliver', { path: 'out/report.bin', title: 'The report' }),
      call('deliver', { path: 'empty', title: 'Nothing in it' }),
    ),
  )
  const { tasks, request, cwd, dataDir, close, open, model } = opened
  await mkdir(path.join(cwd, 'out'))
  await writeFile(path.join(cwd, 'out/report.bin'), binary)
  await writeFile(path.join(cwd, 'empty'), '')
  const { id } = await tasks.start(request('go', { tools: ['drawbridge_deliver'] }), ALICE)
  const done = await tasks.wait(id, {})
  expect(done).toMatchObject({ status: 'completed', openDeliverables: 2 })
  expect(done.result?.text).toMatch(
    /deliverable 1 \(300000 bytes\).*deliverable 1 .*deliverable 2 \(0 bytes\)/s,
  )
  await rm(path.join(cwd, 'out'), { recursive: true })

  await close()
  const { tasks: again } = await open()
  const [first, second] = await again.deliverables(id)
  const sha256 = createHash('sha256').update(binary).digest('hex')
  expect(first).toMatchObject({
    ...{ number: 1, path: 'out/report.bin', name: 'report.bin', title: 'The report', note: 'Final.' },
    ...{ bytes: 300_000, sha256, status: 'pending', words: null, actor: null, turnId: expect.any(String) },
  })
  expect(await textOf((await again.deliverableContent(id, 1)).bytes)).toEqual(binary)
  expect(await textOf((await again.deliverableContent(id, second!.number)).bytes)).toEqual(Buffer.alloc(0))
  await expect(again.deliverableContent(id, 3)).rejects.toMatchObject({ code: 'deliverable-not-found' })

  const answers = await Promise.allSettled([
    again.answerDeliverable(id, 1, { verdict: 'sent-back', words: 'Add the totals.' }, ALICE),
    again.answerDeliverable(id, 1, { verdict: 'accepted' }, { actor: 'test:bob' }),
  ])
  expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect(answers[0]).toMatchObject({ value: { status: 'sent-back', words: 'Add the totals.' } })
  expect(answers[1]).toMatchObject({ reason: { code: 'deliverable-answered' } })
  await expect.poll(async () => (await again.get(id)).turnCount).toBe(2)
  await again.wait(id, {})
  const said = JSON.stringify(model.requests.at(-1)!.body)
  expect(said.split('Add the totals.')).toHaveLength(2)
  expect(said).toContain('deliverable 1 (out/report.bin) was sent back')

  // Without words an acceptance begins no turn.
  await again.answerDeliverable(id, 2, { verdict: 'accepted' }, ALICE)
  expect(await again.get(id)).toMatchObject({ status: 'completed', turnCount: 2, openDeliverables: 0 })
  const events = await own(again, id, 'drawbridge/deliverable')
  expect(events.map(({ number, status }) => [number, status])).toEqual([
    [1, 'pending'],
    [2, 'pending'],
    [1, 'sent-back'],
    [2, 'accepted'],
  ])
  await again.delete(id)
  expect(await readdir(path.join(dataDir, 'deliverables')).catch(() => [])).toEqual([])
})

it('hands over only files of the task that may be seen, and says why it refuses others', async () => {
  const outside = path.join(process.cwd(), 'package.json')
  const protect: string[] = []
  const { tasks, request, cwd } = await openTasks(
    making(
      call('deliver', { path: '../../etc/passwd', title: 'x' }),
      call('deliver', { path: outside, title: 'x' }),
      call('deliver', { path: 'link', title: 'x' }),
      call('deliver', { path: 'large', title: 'x' }),
      call('deliver', { path: 'gone', title: 'x' }),
      call('deliver', { path: 'secrets/key', title: 'x' }),
      call('deliver', { path: '.', title: 'x' }),
    ),
    { handover: { maxBytes: 1000, protect } },
  )
  protect.push(path.join(cwd, 'secrets'))
  await mkdir(path.join(cwd, 'secrets'))
  await writeFile(path.join(cwd, 'secrets/key'), 'x')
  await symlink(outside, path.join(cwd, 'link'))
  await writeFile(path.join(cwd, 'large'), 'x'.repeat(1001))
  const { id } = await tasks.start(request('go', { tools: ['drawbridge_deliver'] }), ALICE)
  const { result } = await tasks.wait(id, {})
  const told = result!.text.split(' | ')
  expect(told[0]).toContain('is not in the folder of the task')
  expect(told[1]).toContain('is not in the folder of the task')
  expect(told[2]).toContain('a link leads out of it')
  expect(told[3]).toContain('has 1001 bytes: at most 1000')
  expect(told[4]).toContain('there is no file gone')
  expect(told[5]).toContain('is a file with logins or private data')
  expect(told[6]).toContain('is not a plain file')
  expect(await tasks.deliverables(id)).toEqual([])
})

it('shows what the model says, and gives its messages to the program, which may answer', async () => {
  const { tasks, request } = await openTasks(
    making(
      call('status', { text: 'Reading\nthe code', percent: 140 }),
      call('attention', { reason: 'The tests need a password.' }),
      call('open_url', { url: 'https://login.example/start?x=1' }),
      call('open_url', { url: 'javascript:alert(1)' }),
      call('open_url', { url: 'https://user:secret@example.org/' }),
      call('tell_caller', { name: 'price', data: { item: 7 } }),
    ),
    {
      handover: { defaultTools: ['drawbridge_report'] },
      settings: { notify: ['local'] },
    },
  )
  const { id, tools } = await tasks.start(request('go', { tools: ['drawbridge_caller_answers'] }), ALICE)
  expect(tools).toEqual(['drawbridge_report', 'drawbridge_caller_answers'])
  await expect.poll(async () => (await tasks.callerMessages(id)).length).toBe(1)
  const [asked] = await tasks.callerMessages(id)
  expect(asked).toMatchObject({ name: 'price', data: { item: 7 }, status: 'sent' })
  await tasks.answerCallerMessage(id, asked!.id, { value: { euros: 12 } }, ALICE)
  await expect(tasks.answerCallerMessage(id, asked!.id, { value: 1 }, ALICE)).rejects.toMatchObject({
    code: 'caller-message-answered',
  })
  const done = await tasks.wait(id, {})
  expect(done).toMatchObject({
    status: 'completed',
    turnCount: 1,
    progress: { text: 'Reading the code', percent: 100 },
    attention: { reason: 'The tests need a password.' },
    links: [{ url: 'https://login.example/start?x=1' }],
  })
  expect(done.result?.text).toContain('{"answer":{"euros":12}}')
  expect(done.result?.text).toContain('must be a whole address')
  expect(done.result?.text).toContain('must not have a name or a password')
  const notices = (await tasks.notices({ taskId: id })).items.map(({ cause, text }) => ({ cause, text }))
  expect(notices.map(({ cause }) => cause).sort()).toEqual(['attention', 'ended', 'link'])
  expect(JSON.stringify(notices)).not.toContain('start?x=1')
  await tasks.clearAttention(id, ALICE)
  expect(await tasks.get(id)).toMatchObject({ attention: null })
  await tasks.handover.said.attention(id, 'Again.')
  await tasks.send(id, { input: 'go on', mode: 'queue' }, ALICE)
  expect(await tasks.get(id)).toMatchObject({ attention: null })
  expect((await own(tasks, id, 'drawbridge/attention')).map(({ reason }) => reason)).toEqual([
    'The tests need a password.',
    null,
    'Again.',
    null,
  ])
})
