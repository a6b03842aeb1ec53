// The real codex asks for more than its sandbox allows: all, a part, nothing; for the turn or the thread.
import { existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Answer, Approver } from '../../src/codex/index.ts'
import { functionCall, type ModelRequest, message, shell, toolOutputs } from '../../src/testing/index.ts'
import { openGate } from '../support/open-gate.ts'

const PERMISSIONS = 'item/permissions/requestApproval'
const wanted = { file_system: { write: ['a', 'b'] }, network: { enabled: true } }
const request = functionCall(
  'request_permissions',
  { reason: 'to show', permissions: wanted },
  { callId: 'call-1' },
)

/** The first turn asks and then tries to write; every later one only tries. */
function script(call: ModelRequest) {
  const outputs = toolOutputs(call).length
  const isFirst = !JSON.stringify(call.body.input).includes('"trying again"')
  const steps = isFirst
    ? [request, shell('touch a/one; touch b/one; true')]
    : [shell('touch a/two; touch b/two; true')]
  return steps[outputs] ?? message('fine')
}

async function granted(answer: Answer | Approver) {
  const gate = await openGate(script, {
    answer,
    home: { config: { 'features.request_permissions_tool': true } },
  })
  for (const name of ['a', 'b']) mkdirSync(path.join(gate.cwd, name))
  const thread = await gate.startThread()
  const first = await gate.ask(thread)
  const later = await thread.startTurn('trying again')
  expect(await later.outcome).toMatchObject({ status: 'completed', text: 'fine' })
  const written = ['a/one', 'b/one', 'a/two', 'b/two'].filter((file) => existsSync(path.join(gate.cwd, file)))
  return { ...gate, first, written }
}

describe('permissions', () => {
  it('are shown with all that is asked, where and why', async () => {
    const { first, cwd, exchanges } = await granted('deny')
    const write = [path.join(cwd, 'a'), path.join(cwd, 'b')]
    expect(first.asked).toMatchObject([
      {
        kind: 'permissions',
        method: PERMISSIONS,
        threadId: first.outcome.threadId,
        turnId: first.outcome.turnId,
        itemId: 'call-1',
        title: `be allowed the network; writing to ${write.join(', ')}`,
        cwd,
        reason: 'to show',
        permissions: { network: { enabled: true }, fileSystem: { write } },
        params: exchanges[0]!.params,
      },
    ])
    expect(first.asked[0]!.choices.map(({ word, lasts }) => [word, lasts])).toEqual([
      ['once', 'turn'],
      ['session', 'thread'],
      ['deny', 'now'],
    ])
  })

  it('granted once hold until the turn ends', async () => {
    const { first, written, replies } = await granted('once')
    expect(first.outcome).toMatchObject({ status: 'completed', text: 'fine' })
    expect(written).toEqual(['a/one', 'b/one'])
    expect(replies(PERMISSIONS)).toMatchObject([
      { permissions: { network: { enabled: true } }, scope: 'turn' },
    ])
  })

  it('granted for the session hold on the thread', async () => {
    const { written } = await granted('session')
    expect(written).toEqual(['a/one', 'b/one', 'a/two', 'b/two'])
  })

  it('denied are not there; the model is told and the turn goes on', async () => {
    const { first, written, model, replies } = await granted('deny')
    expect(first.outcome).toMatchObject({ status: 'completed', text: 'fine' })
    expect(written).toEqual([])
    expect(JSON.parse(toolOutputs(model.requests[1]!)[0]!.text)).toEqual({
      permissions: { network: null, file_system: null },
      scope: 'turn',
    })
    expect(replies(PERMISSIONS)).toEqual([{ permissions: {}, scope: 'turn' }])
  })

  it.each([
    ['turn', ['a/one']],
    ['session', ['a/one', 'a/two']],
  ] as const)('granted in part hold in that part, for the %s', async (scope, expected) => {
    const part: Approver = ({ params }) => {
      const [first] = (params as { permissions: { fileSystem: { write: string[] } } }).permissions.fileSystem
        .write
      return { permissions: { fileSystem: { write: [first!] } as never }, scope }
    }
    const { first, written, model } = await granted(part)
    expect(first.outcome).toMatchObject({ status: 'completed' })
    expect(written).toEqual(expected)
    expect(JSON.parse(toolOutputs(model.requests[1]!)[0]!.text).permissions.network).toBeNull()
  })

  it('cannot be answered always, cancel, or for good: nothing is granted, and we hear of it', async () => {
    const impossible: Answer[] = ['always', 'cancel', { permissions: {}, scope: 'for good' as never }]
    const { first, written, incidents, replies, answerWith, ask } = await granted(impossible[0]!)
    expect(first.outcome).toMatchObject({ status: 'completed' })
    expect(written).toEqual([])
    for (const answer of impossible.slice(1)) {
      answerWith(answer)
      expect((await ask()).outcome).toMatchObject({ status: 'completed' })
    }
    expect(incidents).toMatchObject(impossible.map(() => ({ error: { code: 'bad-answer' } })))
    expect(replies(PERMISSIONS)).toEqual(impossible.map(() => ({ permissions: {}, scope: 'turn' })))
  })
})
