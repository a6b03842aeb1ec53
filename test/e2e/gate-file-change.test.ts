// The real codex asks to change files: what is shown, and what every answer makes it do.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { applyPatch, type ModelRequest, message, toolOutputs } from '../../src/testing/index.ts'
import { openGate } from '../support/open-gate.ts'

const FILE_CHANGE = 'item/fileChange/requestApproval'
const add = applyPatch('*** Begin Patch\n*** Add File: made\n+one\n*** End Patch', { callId: 'call-1' })
const text = (cwd: string, name = 'made') => {
  const file = path.join(cwd, name)
  return existsSync(file) ? readFileSync(file, 'utf8') : null
}

/** Adds a file in its first turn, and another line to it in every later one. */
function growing(request: ModelRequest) {
  if (toolOutputs(request).length > 0) return message('fine')
  const isFirst = !request.body.input.some(({ type }) => type === 'function_call_output')
  const more = '*** Begin Patch\n*** Update File: made\n@@\n one\n+more\n*** End Patch'
  return isFirst ? add : applyPatch(more)
}

describe('a file change', () => {
  it('is shown with every path and diff, though the request names only the item', async () => {
    const patch = [
      '*** Begin Patch',
      '*** Add File: made',
      '+one',
      '*** Update File: old',
      '@@',
      '-before',
      '+after',
      '*** Delete File: gone',
      '*** Add File: ../outside',
      '+two',
      '*** End Patch',
    ]
    const gate = await openGate(applyPatch(patch.join('\n'), { callId: 'call-1' }), { answer: 'deny' })
    writeFileSync(path.join(gate.cwd, 'old'), 'before\n')
    writeFileSync(path.join(gate.cwd, 'gone'), 'bye\n')
    const { asked, outcome } = await gate.ask()
    const beside = path.join(path.dirname(gate.cwd), 'outside')
    expect(asked).toMatchObject([
      {
        kind: 'file-change',
        method: FILE_CHANGE,
        threadId: outcome.threadId,
        turnId: outcome.turnId,
        itemId: 'call-1',
        title: expect.stringMatching(/^change \/.* and 3 more$/),
        cwd: gate.cwd,
        grantRoot: null,
        reason: null,
        params: gate.exchanges[0]!.params,
      },
    ])
    const [question] = asked
    const changes = question?.kind === 'file-change' ? question.changes : []
    expect(changes.map(({ path: file, kind, diff }) => [file, kind.type, diff]).sort()).toEqual(
      [
        [beside, 'add', 'two\n'],
        [path.join(gate.cwd, 'made'), 'add', 'one\n'],
        [path.join(gate.cwd, 'gone'), 'delete', 'bye\n'],
        [path.join(gate.cwd, 'old'), 'update', expect.stringContaining('-before\n+after\n')],
      ].sort(),
    )
    expect(question!.choices.map(({ word, lasts }) => [word, lasts])).toEqual([
      ['once', 'now'],
      ['session', 'thread'],
      ['deny', 'now'],
      ['cancel', 'now'],
    ])
    expect(existsSync(beside)).toBe(false)
  })

  it('answered once is made, and the next to the same file is asked about', async () => {
    const gate = await openGate(growing, { answer: 'once' })
    const thread = await gate.startThread()
    const { outcome, items } = await gate.ask(thread)
    expect(outcome).toMatchObject({ status: 'completed', text: 'fine' })
    expect(items).toMatchObject([{ type: 'fileChange', status: 'completed' }])
    expect(text(gate.cwd)).toBe('one\n')
    expect((await gate.ask(thread)).asked).toMatchObject([{ changes: [{ kind: { type: 'update' } }] }])
    expect(text(gate.cwd)).toBe('one\nmore\n')
    expect(gate.replies(FILE_CHANGE)).toEqual([{ decision: 'accept' }, { decision: 'accept' }])
  })

  it('answered for the session is not asked about again on its thread, but on others', async () => {
    const gate = await openGate(growing, { answer: 'session' })
    const thread = await gate.startThread()
    expect((await gate.ask(thread)).asked).toHaveLength(1)
    expect(await gate.ask(thread)).toMatchObject({ asked: [], items: [{ status: 'completed' }] })
    expect(text(gate.cwd)).toBe('one\nmore\n')
    expect((await gate.ask()).asked).toHaveLength(1)
  })

  it('denied is not made; the model is told and the turn goes on', async () => {
    const gate = await openGate(add, { answer: 'deny' })
    const { outcome, items, told } = await gate.ask()
    expect(outcome).toMatchObject({ status: 'completed', text: 'fine' })
    expect(items).toMatchObject([{ type: 'fileChange', status: 'declined' }])
    expect(told).toMatchObject([{ text: 'patch rejected by user' }])
    expect(text(gate.cwd)).toBeNull()
  })

  it('cancelled is not made, and the turn ends without another word of the model', async () => {
    const gate = await openGate(add, { answer: 'cancel' })
    const { outcome, items } = await gate.ask()
    expect(outcome).toMatchObject({ status: 'interrupted', by: 'codex' })
    expect(items).toEqual([])
    expect(text(gate.cwd)).toBeNull()
    expect(gate.model.requests).toHaveLength(1)
  })

  it('cannot be answered always: it is not made, and we hear of it', async () => {
    const gate = await openGate(add, { answer: 'always' })
    const { outcome, items } = await gate.ask()
    expect(outcome).toMatchObject({ status: 'completed' })
    expect(items).toMatchObject([{ status: 'declined' }])
    expect(gate.incidents).toMatchObject([{ type: 'request-refused', error: { code: 'bad-answer' } }])
    expect(gate.decisions).toMatchObject([{ answer: 'deny', by: 'default', cause: 'bad-answer' }])
  })

  it('is shown as it is also where notifications are redacted', async () => {
    const key = `sk-${'a1'.repeat(24)}`
    const secret = applyPatch(`*** Begin Patch\n*** Add File: made\n+key = ${key}\n*** End Patch`)
    const gate = await openGate(secret, { answer: 'deny', client: { redact: true } })
    const { asked, items } = await gate.ask()
    expect(JSON.stringify(asked)).toContain(key)
    expect(JSON.stringify(items)).not.toContain(key)
  })
})
