// Notices of a real task, over HTTP to a receiver that checks the signature with our own public function.
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  type DurableTasks,
  type Notice,
  type TaskSettings,
  verifySignature,
} from '../../../src/tasks/index.ts'
import { startReceiver } from '../../../src/tasks/notices/fixtures/receiver.ts'
import { httpError, message, shell, toolOutputs } from '../../../src/testing/index.ts'
import { NO_NOTICES } from '../../support/no-notices.ts'
import { ALICE, openTasks } from '../../support/open-tasks.ts'
import { questionOf, runTask } from '../../support/task-facts.ts'

const SECRET = 'a webhook secret'
const notices: TaskSettings['notices'] = { ...NO_NOTICES, webhookSecret: SECRET }

/** A receiver and a way to await its next notices. */
async function receiver(answer: Parameters<typeof startReceiver>[0] = () => ({})) {
  const arrived: (() => void)[] = []
  const got = await startReceiver(
    (request, count) => {
      for (const wake of arrived.splice(0)) queueMicrotask(wake)
      return answer(request, count)
    },
    { finished: onTestFinished },
  )
  async function received(count: number) {
    while (got.received.length < count) await new Promise<void>((resolve) => arrived.push(resolve))
    return got.received.map(({ body, headers }) => ({ body: JSON.parse(body), headers, raw: body }))
  }
  return { target: `webhook:${got.url}/hook`, received }
}

/** All notices, once each is as it should be: what was answered is written down a moment later. */
async function noticesThat(tasks: DurableTasks, fits: (notice: Notice) => boolean) {
  for (;;) {
    const { items } = await tasks.notices({})
    if (items.every(fits)) return items
    await new Promise(setImmediate)
  }
}

describe('a webhook', () => {
  it('hears of a question and of the end, once each, signed and with a key', async () => {
    const { target, received } = await receiver()
    const { tasks, request } = await openTasks(
      (call) =>
        toolOutputs(call).length > 0 ? message('All done.') : shell('touch made', { escalate: 'please' }),
      { settings: { notices, baseUrl: 'http://127.0.0.1:4317' } },
    )
    const { id } = await tasks.start(request('go', { notify: [target] }), ALICE)
    const question = await questionOf(tasks, id)
    await received(1)
    await tasks.decide(question.id, { answer: 'once' }, ALICE)
    await tasks.wait(id, { timeoutMs: 20_000 })
    const [asked, ended, ...more] = await received(2)
    expect(more).toEqual([])
    expect(asked!.body).toMatchObject({ cause: 'approval', task: { id }, approval: { id: question.id } })
    expect(ended!.body).toMatchObject({ cause: 'ended', task: { id, status: 'completed' } })
    for (const { raw, headers } of [asked!, ended!])
      expect(verifySignature(raw, String(headers['drawbridge-signature']), SECRET)).toBe(true)
    expect(verifySignature(`${asked!.raw} `, String(asked!.headers['drawbridge-signature']), SECRET)).toBe(
      false,
    )
    const keys = [asked!, ended!].map(({ headers }) => headers['idempotency-key'])
    expect(new Set(keys).size).toBe(2)
    await noticesThat(tasks, ({ status }) => status === 'sent')
  })

  it('is where everything goes by default, and hears of failures; a rule’s answer bothers nobody', async () => {
    const { target, received } = await receiver()
    const { tasks, request } = await openTasks(
      (call, index) =>
        index === 0
          ? httpError(401, 'who?')
          : toolOutputs(call).length > 0
            ? message('ok')
            : shell('touch made', { escalate: 'please' }),
      { settings: { notices, notify: [target] } },
    )
    const failed = await runTask(tasks, request('go'))
    const allowed = await runTask(tasks, request('go', { rules: ['allow command touch'] }))
    const heard = await received(2)
    expect(heard.map(({ body }) => [body.cause, body.task.id, body.task.status])).toEqual([
      ['ended', failed.id, 'failed'],
      ['ended', allowed.id, 'completed'],
    ])
  })

  it('that answers 500 once gets the notice again under the same key', async () => {
    const { target, received } = await receiver((_, count) => ({ status: count === 1 ? 500 : 200 }))
    const { tasks, request } = await openTasks(() => message('ok'), { settings: { notices } })
    await runTask(tasks, request('go', { notify: [target] }))
    await received(1)
    const [notice] = await noticesThat(tasks, ({ lastError }) => lastError !== null)
    expect(notice).toMatchObject({ status: 'pending', attempts: 1 })
    await tasks.retryNotice(notice!.id)
    const [first, second] = await received(2)
    expect(second!.headers['idempotency-key']).toBe(first!.headers['idempotency-key'])
    expect(second!.raw).toBe(first!.raw)
  })
})
