// What a task hands over at the worker that has it, taken and answered at another.
import { expect, it } from 'vitest'
import { message } from '../../../src/testing/index.ts'
import { openFleet } from '../../support/open-fleet.ts'
import { ALICE } from '../../support/open-tasks.ts'

async function* of(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

it('is downloaded and answered at any door, once; a call that waits gets its answer from there', async () => {
  const gate = Promise.withResolvers<void>()
  const fleet = await openFleet(async () => {
    await gate.promise
    return message('done')
  })
  const [a, b] = [await fleet.worker('a'), await fleet.worker('b')]
  const { id } = await a.tasks.start(fleet.request('go', { on: 'b' }), ALICE)
  await expect.poll(async () => (await a.tasks.get(id)).status).toBe('working')
  const { deliverables, callerMessages, said } = b.tasks.handover
  const given = { path: 'a.txt', title: 'A', note: null, turnId: null }
  await deliverables.deliver(id, { ...given, bytes: of('hello') })
  await said.attention(id, 'look')

  const { bytes } = await a.tasks.deliverableContent(id, 1)
  const chunks: Uint8Array[] = []
  for await (const chunk of bytes) chunks.push(chunk)
  expect(Buffer.concat(chunks).toString()).toBe('hello')
  const answers = await Promise.allSettled(
    [a, b].map(({ tasks }) =>
      tasks.answerDeliverable(id, 1, { verdict: 'sent-back', words: 'again' }, ALICE),
    ),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect(answers.find((each) => each.status === 'rejected')!.reason).toMatchObject({
    code: 'deliverable-answered',
  })

  const asked = callerMessages.ask(id, { name: 'price', data: 7 }, AbortSignal.timeout(30_000))
  await expect.poll(async () => (await a.tasks.callerMessages(id)).length).toBe(1)
  const [question] = await a.tasks.callerMessages(id)
  await a.tasks.answerCallerMessage(id, question!.id, { value: { euros: 12 } }, ALICE)
  expect(await asked).toEqual({ value: { euros: 12 } })
  await a.tasks.clearAttention(id, ALICE)
  expect(await b.tasks.get(id)).toMatchObject({ attention: null, openDeliverables: 0 })

  gate.resolve()
  const done = await a.tasks.wait(id, { timeoutMs: 30_000 })
  expect(done.status).toBe('completed')
  const told = fleet.model.requests.map(({ body }) => JSON.stringify(body)).join('\n')
  expect(told).toContain('Your deliverable 1 (a.txt) was sent back')
})
