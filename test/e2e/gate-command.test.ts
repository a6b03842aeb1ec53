// The real codex asks to run commands: what is shown, and what every answer makes it do.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Answer, Approver, CommandQuestion } from '../../src/codex/index.ts'
import { functionCall, message, shell, toolOutputs } from '../../src/testing/index.ts'
import { commandText } from '../../src/util/command-text.ts'
import { openGate } from '../support/open-gate.ts'

const COMMAND = 'item/commandExecution/requestApproval'
const touch = shell('echo ran >> made', { escalate: 'to show', callId: 'call-1' })

/** A gate for `touch`, and how often it has run. */
async function openTouch(options: Parameters<typeof openGate>[1] = {}) {
  const gate = await openGate(touch, options)
  const made = path.join(gate.cwd, 'made')
  return { ...gate, runs: () => (existsSync(made) ? readFileSync(made, 'utf8').split('\n').length - 1 : 0) }
}

describe('a command', () => {
  it('is shown with its text, folder, reason, and what each answer would do', async () => {
    const gate = await openTouch({ answer: 'deny' })
    const { asked, outcome } = await gate.ask()
    expect(asked).toHaveLength(1)
    const [question] = asked
    expect(question).toMatchObject({
      kind: 'command',
      method: COMMAND,
      threadId: outcome.threadId,
      turnId: outcome.turnId,
      itemId: 'call-1',
      parent: null,
      title: 'run echo ran >> made',
      command: expect.stringContaining('echo ran >> made'),
      cwd: gate.cwd,
      reason: 'to show',
      actions: [{ type: 'unknown', command: 'echo ran >> made' }],
      network: null,
      params: gate.exchanges[0]!.params,
    })
    expect(question!.choices.map(({ word, lasts }) => [word, lasts])).toEqual([
      ['once', 'now'],
      ['session', 'thread'],
      ['deny', 'now'],
      ['cancel', 'now'],
    ])
    expect(question!.choices.every(({ effect }) => effect.length > 10)).toBe(true)
  })

  it('with quotes and variables is shown exactly as the model wrote it', async () => {
    const written = [
      "awk '{print $2}' made",
      `printf '%s\n' "it's $HOME" | sed -e 's/$/\\/' > "a b"`,
      "echo 'a'\\''b' \"$(date)\" `id`; echo $'\\t' !! ^a",
      'cat <<"EOF" > x\n\'$y\' "z"\n\\\nEOF',
    ]
    const gate = await openGate(
      written.map((text, index) => shell(text, { escalate: 'to show', callId: `call-${index}` })),
      { answer: 'deny' },
    )
    const { asked, items } = await gate.ask()
    // Calls of one reply ask at the same time, in any order.
    const shown = asked.map((question) => commandText((question as CommandQuestion).command))
    expect(shown.toSorted()).toEqual(written.toSorted())
    expect(asked.map(({ title }) => title)).toEqual(shown.map((text) => `run ${text}`))
    expect(items.map(({ command }) => commandText(command)).toSorted()).toEqual(written.toSorted())
  })

  it('answered once runs, outside the sandbox, and is asked about again', async () => {
    const gate = await openTouch({ answer: 'once' })
    const thread = await gate.startThread()
    const first = await gate.ask(thread)
    expect(first).toMatchObject({ outcome: { status: 'completed', text: 'fine' }, asked: [{}] })
    expect(first.items).toMatchObject([{ type: 'commandExecution', status: 'completed', exitCode: 0 }])
    expect((await gate.ask(thread)).asked).toHaveLength(1)
    expect(gate.runs()).toBe(2)
    expect(gate.replies(COMMAND)).toEqual([{ decision: 'accept' }, { decision: 'accept' }])
    expect(gate.decisions).toMatchObject([
      { answer: 'once', by: 'person', rule: null, why: null, question: { itemId: 'call-1' } },
      { answer: 'once' },
    ])
    expect(gate.incidents).toEqual([])
  })

  it('answered for the session is not asked about again on its thread, but on others', async () => {
    const gate = await openTouch({ answer: 'session' })
    const thread = await gate.startThread()
    expect((await gate.ask(thread)).asked).toHaveLength(1)
    expect((await gate.ask(thread)).asked).toHaveLength(0)
    expect((await gate.ask()).asked).toHaveLength(1)
    expect(gate.runs()).toBe(3)
    expect(existsSync(path.join(gate.home.path, 'rules'))).toBe(false)
  })

  it('answered always goes into codex’s rules, is not asked about on any thread, nor by a later process', async () => {
    const gate = await openGate(shell('touch made', { escalate: 'to show' }), { answer: 'always' })
    const trusted = () => gate.startThread({ trustedRoot: gate.cwd })
    const { asked, items } = await gate.ask(await trusted())
    expect(asked).toHaveLength(1)
    expect(asked[0]!.choices.find(({ word }) => word === 'always')?.effect).toContain('"touch made"')
    expect(items).toMatchObject([{ status: 'completed' }])
    const rules = readFileSync(path.join(gate.home.path, 'rules/default.rules'), 'utf8')
    expect(rules.trim()).toBe('prefix_rule(pattern=["touch", "made"], decision="allow")')
    expect((await gate.ask(await trusted())).asked).toHaveLength(0)
    await gate.codex.close()
    const again = await gate.open()
    const turn = await (await again.startThread({ cwd: gate.cwd, trustedRoot: gate.cwd })).startTurn('go')
    expect(await turn.outcome).toMatchObject({ status: 'completed', text: 'fine' })
    expect(gate.questions).toHaveLength(1)
  })

  it('denied does not run; the model is told, the turn goes on, and it is asked about again', async () => {
    const gate = await openTouch({ answer: 'deny' })
    const thread = await gate.startThread()
    const { outcome, items, told } = await gate.ask(thread)
    expect(outcome).toMatchObject({ status: 'completed', text: 'fine' })
    expect(items).toMatchObject([{ type: 'commandExecution', status: 'declined' }])
    expect(told[0]!.text).toContain('rejected by user')
    expect((await gate.ask(thread)).asked).toHaveLength(1)
    expect(gate.runs()).toBe(0)
  })

  it('cancelled does not run, and the turn ends without another word of the model', async () => {
    const gate = await openTouch({ answer: 'cancel' })
    const { outcome, items } = await gate.ask()
    expect(outcome).toMatchObject({ status: 'interrupted', by: 'codex' })
    expect(items).toMatchObject([{ type: 'commandExecution', status: 'declined' }])
    expect(gate.runs()).toBe(0)
    expect(gate.model.requests).toHaveLength(1)
  })

  it('can be answered in codex’s own words', async () => {
    const gate = await openTouch({ answer: { result: { decision: 'accept' } } })
    expect((await gate.ask()).items).toMatchObject([{ status: 'completed' }])
    expect(gate.decisions).toMatchObject([{ answer: { result: { decision: 'accept' } } }])
  })
})

describe('a command that only needs a part of the sandbox opened', () => {
  const extra = { file_system: { write: ['.'] } }
  const partly = shell('touch made', {
    arguments: {
      sandbox_permissions: 'with_additional_permissions',
      justification: 'to show',
      additional_permissions: extra,
    },
  })
  const home = { config: { 'features.exec_permission_approvals': true } }

  it('shows which to an experimental client, and offers nothing that opens more', async () => {
    const gate = await openGate(partly, { home, answer: 'once', client: { experimental: true } })
    const { asked, items } = await gate.ask()
    expect(asked).toMatchObject([{ additionalPermissions: { fileSystem: { write: [gate.cwd] } } }])
    expect(gate.exchanges[0]!.params.proposedExecpolicyAmendment).toEqual(['touch', 'made'])
    expect(asked[0]!.choices.map(({ word }) => word)).toEqual(['once', 'session', 'deny', 'cancel'])
    expect(items).toMatchObject([{ status: 'completed', exitCode: 0 }])
    expect(existsSync(path.join(gate.cwd, 'made'))).toBe(true)
  })

  it('is declined when it is answered always', async () => {
    const gate = await openGate(partly, { home, answer: 'always' })
    expect((await gate.ask()).items).toMatchObject([{ status: 'declined' }])
    expect(existsSync(path.join(gate.cwd, 'made'))).toBe(false)
    expect(existsSync(path.join(gate.home.path, 'rules'))).toBe(false)
    expect(gate.incidents).toMatchObject([{ type: 'request-refused', error: { code: 'bad-answer' } }])
  })
})

const REJECTED = 'write_stdin rejected: rejected by user'

describe('text typed into a running command', () => {
  const typing = (request: Parameters<typeof toolOutputs>[0]) => {
    const outputs = toolOutputs(request)
    const terminal = { tty: true, yield_time_ms: 300 }
    if (outputs.length === 0) return shell('cat', { escalate: 'to show', arguments: terminal })
    const session = /session ID (\d+)/.exec(outputs[0]!.text)?.[1]
    const typed = { session_id: Number(session), chars: 'hello\n', yield_time_ms: 300 }
    return outputs.length < 3 ? functionCall('write_stdin', typed) : message('fine')
  }
  const thread = { approvalPolicy: 'untrusted' } as const

  it('is shown as such, and asked about each time when it is answered once', async () => {
    const gate = await openGate(typing, { thread, answer: 'once' })
    const { asked, told, outcome } = await gate.ask()
    expect(outcome).toMatchObject({ status: 'completed', text: 'fine' })
    expect(asked).toHaveLength(3)
    expect(asked[1]).toMatchObject({
      kind: 'command',
      title: expect.stringMatching(/^type into .*hello/s),
      command: expect.stringContaining('hello'),
      cwd: gate.cwd,
      reason: expect.stringContaining('existing terminal'),
    })
    expect(asked[1]!.choices.map(({ word }) => word)).toEqual(['once', 'deny', 'cancel'])
    expect(told.slice(1).every(({ text }) => text.includes('hello'))).toBe(true)
  })

  it('denied is not typed and the turn goes on; cancelled, the turn ends', async () => {
    const gate = await openGate(typing, { thread, answer: typed('deny') })
    const denied = await gate.ask()
    expect(denied.outcome).toMatchObject({ status: 'completed', text: 'fine' })
    expect(denied.told.slice(1).map(({ text }) => text)).toEqual([REJECTED, REJECTED])
    expect(gate.incidents).toEqual([])
    gate.answerWith(typed('cancel'))
    const cancelled = await gate.ask()
    expect(cancelled.asked).toHaveLength(2)
    expect(cancelled.outcome).toMatchObject({ status: 'interrupted', by: 'codex' })
  })

  it('cannot be answered for the session: codex would ask about the next line all the same', async () => {
    const gate = await openGate(typing, { thread, answer: typed('session') })
    const refused = await gate.ask()
    expect(refused.told.slice(1).map(({ text }) => text)).toEqual([REJECTED, REJECTED])
    expect(gate.incidents).toMatchObject([
      { error: { code: 'bad-answer' } },
      { error: { code: 'bad-answer' } },
    ])
    gate.answerWith(typed({ result: { decision: 'acceptForSession' } }))
    const { asked, told } = await gate.ask()
    expect(asked).toHaveLength(3)
    expect(told.slice(1).every(({ text }) => text.includes('hello'))).toBe(true)
  })

  function typed(answer: Answer): Approver {
    return ({ title }) => (title.startsWith('type') ? answer : 'once')
  }
})

describe('a command that nothing but the policy untrusted stops', () => {
  it('runs when it is answered once, and if the sandbox stops it perhaps again outside', async () => {
    const thread = { approvalPolicy: 'untrusted', sandbox: 'read-only' } as const
    const gate = await openGate(shell('touch made'), { answer: 'once', thread })
    const { asked, items } = await gate.ask()
    expect(asked).toMatchObject([{ reason: null, cwd: gate.cwd }])
    expect(asked[0]!.choices[0]!.effect).toMatch(/^Runs now, once\. May leave the sandbox/)
    // codex sees the sandbox's refusal, and goes on outside it, only when the command ends soon enough. Under a profile
    // that denies files it does not go on, and need not tell of the end of the command either.
    expect(['completed', 'failed', undefined]).toContain(items[0]?.status)
    expect(existsSync(path.join(gate.cwd, 'made'))).toBe(items[0]?.status === 'completed')
  })
})

describe('a command that a rule of codex wants to be asked about', () => {
  it('shows the rule’s reason and offers nothing for good', async () => {
    const gate = await openGate(shell('ls'), { answer: 'once' })
    mkdirSync(path.join(gate.home.path, 'rules'))
    const rule = 'prefix_rule(pattern=["ls"], decision="prompt", justification="house rule")\n'
    writeFileSync(path.join(gate.home.path, 'rules/house.rules'), rule)
    const { asked, items } = await gate.ask()
    expect(asked).toMatchObject([{ reason: expect.stringContaining('house rule'), cwd: gate.cwd }])
    expect(asked[0]!.choices.map(({ word }) => word)).toEqual(['once', 'session', 'deny', 'cancel'])
    expect(items).toMatchObject([{ status: 'completed' }])
  })
})
