// What a named token cannot do by way of others: turns of a terminal, messages of the owner.
import { expect, it } from 'vitest'
import { boundTasks, type Grant, type TaskError } from '../../../src/tasks/index.ts'
import {
  hang,
  lastUserText,
  type ModelScript,
  message,
  shell,
  toolOutputs,
} from '../../../src/testing/index.ts'
import { ALICE, openTasks } from '../../support/open-tasks.ts'
import { otherClient } from '../../support/other-client.ts'
import { questionOf, taskThat } from '../../support/task-facts.ts'

const CI = { actor: 'token:ci' }
const script: ModelScript = (call) => {
  const text = lastUserText(call)
  if (text.includes('hang')) return hang()
  const isAsked = toolOutputs(call).length > 0
  return text === 'ask' && !isAsked ? shell('touch made', { escalate: 'please' }) : message(`said ${text}`)
}

function grantOf(sandbox: Grant['ceiling']['sandbox'] = 'read-only'): Grant {
  const ceiling = { sandbox, preset: 'ask-all', network: false, folders: null } as const
  return { tokenId: 'ci-id', name: 'ci', tasks: 'own', may: ['read', 'start'], ceiling }
}

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'done',
    ({ code }: TaskError) => code,
  )

it('a token does not steer a turn that a terminal gave more rights than its ceiling', async () => {
  const stage = await openTasks(script)
  const { tasks, request, model } = stage
  const ci = boundTasks(tasks, grantOf())
  const { id } = await tasks.start(request('one'), { ...CI, grant: grantOf() })
  const { threadId } = await taskThat(tasks, id, ({ status }) => status === 'completed')
  const other = await otherClient(stage)
  const steer = () => codeOf(ci.send(id, { input: 'more', mode: 'steer' }, CI))
  await other.begin(threadId, 'hang')
  const narrow = await taskThat(tasks, id, ({ turnCount, status }) => turnCount === 2 && status === 'working')
  // Codex asks the model anew with what was steered before it asked, or before an item that ends.
  await expect.poll(() => model.requests.length).toBe(2)
  expect(await steer()).toBe('done')
  await tasks.interrupt(id, ALICE)
  await other.begin(threadId, 'hang', {
    sandboxPolicy: { type: 'dangerFullAccess' },
    approvalPolicy: 'never',
  })
  const wide = await taskThat(tasks, id, ({ turnCount, status }) => turnCount === 3 && status === 'working')
  expect(wide.policy.sandbox).toBe('read-only')
  expect(await steer()).toBe('not-permitted')
  // One that was let through for the turn before does not reach this one.
  const late = { input: 'late', mode: 'steer', turnId: narrow.turnId } as const
  expect(await codeOf(tasks.send(id, late, CI))).toBe('not-running')
  await tasks.interrupt(id, ALICE)
})

it.each([
  { ceiling: 'workspace-write', owner: 'read-only' },
  { ceiling: 'read-only', owner: 'workspace-write' },
] as const)(
  '$owner of the owner, queued before a message of a token with $ceiling, leaves it read-only',
  async ({ ceiling: sandbox, owner }) => {
    const { tasks, request } = await openTasks(script)
    const ci = boundTasks(tasks, grantOf(sandbox))
    const caller = { ...CI, grant: grantOf(sandbox) }
    const { id } = await tasks.start(request('ask', { keepOpen: true, policy: { sandbox } }), caller)
    const question = await questionOf(tasks, id)
    await tasks.send(id, { input: 'A', mode: 'queue', overrides: { sandbox: owner } }, ALICE)
    const keyed = { input: 'B', mode: 'queue', clientMessageId: 'b' } as const
    const sent = await ci.send(id, keyed, CI)
    await tasks.decide(question.id, { answer: 'deny' }, ALICE)
    const ended = await taskThat(tasks, id, ({ turnCount, status }) => turnCount === 3 && status === 'idle')
    expect(ended).toMatchObject({
      result: { text: 'said B' },
      policy: { sandbox: 'read-only' },
      effectivePolicy: { sandbox: { type: 'readOnly' } },
    })
    expect(await ci.send(id, keyed, CI)).toMatchObject({ id: sent.id, status: 'delivered' })
  },
)

it('a token does not take up a message of the owner that asks for more than its ceiling', async () => {
  const { tasks, request } = await openTasks(script, { settings: { maxWorking: 1 } })
  const ci = boundTasks(tasks, grantOf())
  const { id } = await tasks.start(request('one', { keepOpen: true }), { ...CI, grant: grantOf() })
  await taskThat(tasks, id, ({ status }) => status === 'idle')
  const busy = await tasks.start(request('hang'), ALICE)
  await taskThat(tasks, busy.id, ({ status }) => status === 'working')
  const overrides = { sandbox: 'workspace-write' } as const
  await tasks.send(id, { input: 'wide', mode: 'queue', overrides }, ALICE)
  expect(await tasks.interrupt(id, ALICE)).toMatchObject({ status: 'interrupted', turnCount: 1 })
  expect(await codeOf(ci.resume(id, {}, CI))).toBe('not-permitted')
  expect(await tasks.get(id)).toMatchObject({ status: 'interrupted', queuedMessages: 0 })
  expect(await ci.resume(id, { prompt: 'mine' }, CI)).toMatchObject({ status: 'queued' })
  await tasks.interrupt(busy.id, ALICE)
  const ended = await taskThat(tasks, id, ({ status }) => status === 'idle')
  expect(ended).toMatchObject({
    turnCount: 2,
    result: { text: 'said mine' },
    policy: { sandbox: 'read-only' },
  })
})
