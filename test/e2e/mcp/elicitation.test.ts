// Questions of Codex that the user of a client answers in a form of the client, while task_wait waits.
import { existsSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { type AuditEntry, connect, readToken } from '../../../src/api/index.ts'
import { functionCall, message, shell, toolOutputs } from '../../../src/testing/index.ts'
import { type AskedForm, type ConnectionOptions, mcpClient, namedToken } from '../../support/mcp-clients.ts'
import { serviceStage } from '../../support/service-stage.ts'

const maker = (request: Parameters<typeof toolOutputs>[0]) =>
  toolOutputs(request).length === 0
    ? shell('touch made', { escalate: 'it is \u001b[2Jwanted' })
    : message('The turn is over.')

type Elicit = NonNullable<ConnectionOptions['elicit']>
const unanswered = () => new Promise<never>(() => undefined)

/** A task that asks, and a client whose user is asked. */
async function asking(
  elicit: Elicit,
  { client = 'v2 stdio 2025' as const, may = ['read', 'start', 'answer-own'] as const, reply = maker } = {},
) {
  const stage = await serviceStage(reply, {
    config: { 'features.default_mode_request_user_input': true },
  })
  const token = await namedToken(stage, {
    name: 'helper',
    may: [...may],
    ceiling: { sandbox: 'workspace-write' },
  })
  const forms: AskedForm[] = []
  const asked = (form: AskedForm) => {
    forms.push(form)
    return elicit(form)
  }
  const { call } = await mcpClient(client, stage, { token, elicit: asked })
  const start = { prompt: 'make it', cwd: stage.cwd, sandbox: 'workspace-write' }
  const { taskId } = (await call('task_start', start)).json
  const wait = (maxWaitS = 50) => call('task_wait', { taskId, cursor: 0, maxWaitS })
  return { stage, forms, wait, isMade: () => existsSync(path.join(stage.cwd, 'made')) }
}

describe.each(['v2 stdio 2025', 'v1 stdio'] as const)('the client %s', (client) => {
  it('shows its user the whole question, and the answer given there counts', async () => {
    const elicit: Elicit = async () => ({ action: 'accept', content: { answer: 'once' } })
    const { stage, forms, wait, isMade } = await asking(elicit, { client: client as 'v2 stdio 2025' })
    const done = await wait()
    expect(done).toMatchObject({ isError: false, json: { status: 'completed' } })
    expect(done.text).toContain('answer:\nThe turn is over.')
    expect(isMade()).toBe(true)
    expect(forms).toHaveLength(1)
    const [{ message: text, requestedSchema }] = forms as [AskedForm]
    expect(text).toMatch(/^Command:\n {4}touch made$/m)
    expect(text).toContain(`Folder: ${stage.cwd}`)
    expect(text).toMatch(/^Reason, .*\\u\{1b\}\[2Jwanted/m)
    expect(text).toMatch(/^- once: .+\n/m)
    expect(requestedSchema.properties.answer!.enum).toEqual(expect.arrayContaining(['once', 'deny']))
    expect(requestedSchema.properties.answer!.enum).not.toContain('always')
    const [audited] = await stage.json<AuditEntry[]>('audit')
    expect(audited).toMatchObject({
      actor: 'token:helper',
      answer: 'once',
      why: "answered by the client's user, asked through the client",
    })
  })
})

it('values that a model asks for are fields of the form, by their ids', async () => {
  const questions = [
    { id: 'colour', header: 'Colour', question: 'Which?', options: [{ label: 'Red', description: 'warm' }] },
  ]
  const { forms, wait } = await asking(async () => ({ action: 'accept', content: { answer1: 'Red' } }), {
    reply: (request) => {
      const [output] = toolOutputs(request)
      return output === undefined
        ? functionCall('request_user_input', { questions })
        : message(`Heard: ${JSON.stringify(output)}`)
    },
  })
  expect((await wait()).text).toMatch(/^answer:\nHeard: .*colour.*Red/m)
  expect(forms[0]!.message).toContain('- Which?\n  Red: warm')
})

it.each([
  ['declines', async () => ({ action: 'decline' as const })],
  ['cancels', async () => ({ action: 'cancel' as const })],
  ['fails', async () => Promise.reject(new Error('no form today'))],
  ['gives an answer that is not offered', async () => ({ action: 'accept', content: { answer: 'always' } })],
  ['accepts without an answer', async () => ({ action: 'accept' as const })],
] satisfies [string, Elicit][])(
  'a user that %s has not answered, and is not asked again',
  async (_, elicit) => {
    const { stage, forms, wait, isMade } = await asking(elicit as Elicit)
    const first = await wait()
    expect(first).toMatchObject({ isError: false, json: { status: 'waiting' } })
    expect(first.text).toMatch(/open question: .*\n.*touch made/)
    expect((await wait()).json.questions).toEqual(first.json.questions)
    expect(forms).toHaveLength(1)
    expect(isMade()).toBe(false)
    expect(await stage.json<AuditEntry[]>('audit')).toEqual([])
  },
)

it('a user that never replies does not prolong the wait, and the form is taken back', async () => {
  const { forms, wait } = await asking(unanswered)
  // Short waits, until one of them has seen the question and asked about it.
  const isAsked = async () => {
    const { json } = await wait(1)
    return json.status === 'waiting' && forms.length === 1
  }
  await expect.poll(isAsked).toBe(true)
  const again = await wait(1)
  expect(again).toMatchObject({ isError: false, json: { questions: [expect.any(String)] } })
  await expect.poll(() => forms[0]!.signal.aborted).toBe(true)
  expect(forms).toHaveLength(1)
})

it('an answer given elsewhere takes the form back, and the wait goes on to the end', async () => {
  const { stage, forms, wait, isMade } = await asking(unanswered)
  const waiting = wait()
  await expect.poll(() => forms.length).toBe(1)
  const owner = connect({ url: stage.record().url, token: readToken(stage.dataDir)!, actor: 'ada' })
  const { items } = await owner.approvals({ status: 'pending' })
  await owner.answer(items[0]!.id, { answer: 'once' })
  expect((await waiting).json.status).toBe('completed')
  expect(forms[0]!.signal.aborted).toBe(true)
  expect(isMade()).toBe(true)
  expect((await stage.json<AuditEntry[]>('audit'))[0]).toMatchObject({ actor: 'api:ada' })
})

it.each([
  ['a token that may not answer', { may: ['read', 'start'] }],
  ['a token that may answer only for tasks of others', { may: ['read', 'start', 'answer'] }],
  ['revision 2026-07-28, which cannot take a form back', { client: 'v2 stdio' }],
  ['HTTP with revision 2026-07-28', { client: 'v2 http' }],
  ['HTTP with revision 2025-11-25', { client: 'v1 http' }],
])('nobody is asked with %s: the question stands in the result', async (_, options) => {
  const elicit: Elicit = async () => ({ action: 'accept', content: { answer: 'once' } })
  const { forms, wait, isMade } = await asking(elicit, options as object)
  expect((await wait()).json).toMatchObject({ status: 'waiting', questions: [expect.any(String)] })
  expect(forms).toEqual([])
  expect(isMade()).toBe(false)
})
