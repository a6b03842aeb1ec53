// Whoever answers the real codex: several at once, late, never, wrongly, not at all.
import { existsSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import type { Answer, Approver } from '../../src/codex/index.ts'
import {
  customToolCall,
  functionCall,
  lastUserText,
  message,
  shell,
  toolOutputs,
} from '../../src/testing/index.ts'
import { openGate } from '../support/open-gate.ts'

const COMMAND = 'item/commandExecution/requestApproval'
const touch = (name: string) => shell(`touch ${name}`, { escalate: 'to show' })

/** An approver whose answers a test gives when it likes. */
function heldApprover() {
  const held: { title: string; signal: AbortSignal; answer: (answer: Answer) => void }[] = []
  const waiting: { count: number; resolve: () => void }[] = []
  const approve: Approver = ({ title }, { signal }) => {
    const { promise, resolve } = Promise.withResolvers<Answer>()
    held.push({ title, signal, answer: resolve })
    for (const waiter of waiting) if (held.length >= waiter.count) waiter.resolve()
    return promise
  }
  const asked = (count: number) =>
    new Promise<void>((resolve) => (held.length >= count ? resolve() : waiting.push({ count, resolve })))
  const of = (name: string) => held.find(({ title }) => title.includes(name))!
  return { approve, held, asked, of }
}

describe('three questions of one turn at once', () => {
  const names = ['made1', 'made2', 'made3']
  const js = `const one = (name) => tools.exec_command({
    cmd: 'touch ' + name, sandbox_permissions: 'require_escalated', justification: 'to show' })
  await Promise.allSettled(${JSON.stringify(names)}.map(one)); text('done')`

  it.each([
    ['of three tool calls', names.map(touch), 'scripted'],
    ['of code mode', customToolCall('exec', js, { namespace: 'functions' }), 'gpt-5.6-sol'],
  ] as const)('%s each get their own answer, in whatever order', async (_, calls, modelName) => {
    const { approve, asked, of } = heldApprover()
    const gate = await openGate(calls, { answer: approve, home: { modelName } })
    const turn = gate.ask()
    await asked(3)
    of('made3').answer('once')
    of('made1').answer('deny')
    of('made2').answer('once')
    const { outcome, items } = await turn
    expect(outcome).toMatchObject({ status: 'completed', text: 'fine' })
    expect(names.filter((name) => existsSync(path.join(gate.cwd, name)))).toEqual(['made2', 'made3'])
    const states = items.map(({ command, status }) => [/made\d/.exec(command)?.[0], status]).sort()
    expect(states).toEqual([
      ['made1', 'declined'],
      ['made2', 'completed'],
      ['made3', 'completed'],
    ])
    expect(new Set(gate.exchanges.map(({ id }) => id)).size).toBe(3)
    expect(gate.incidents).toEqual([])
  })
})

describe('an approver', () => {
  it('that never answers learns from its signal that the turn was interrupted', async () => {
    const { approve, asked, held } = heldApprover()
    const gate = await openGate(touch('made'), { answer: approve })
    const thread = await gate.startThread()
    const turn = await thread.startTurn('go')
    await asked(1)
    expect(held[0]!.signal.aborted).toBe(false)
    await turn.interrupt()
    expect(await turn.outcome).toMatchObject({ status: 'interrupted', by: 'user' })
    expect(held[0]!.signal.reason).toMatchObject({ code: 'request-withdrawn' })
    held[0]!.answer('once')
    expect(await gate.codex.request('model/list', {})).toBeDefined()
    expect(existsSync(path.join(gate.cwd, 'made'))).toBe(false)
    const { reason } = held[0]!.signal
    expect(gate.incidents).toMatchObject([
      { type: 'question-withdrawn', method: COMMAND, question: gate.questions[0], reason },
    ])
    expect(gate.decisions).toMatchObject([
      { question: gate.questions[0], answer: 'deny', by: 'default', why: reason.message, cause: 'withdrawn' },
    ])
  })

  it('learns when codex is killed', async () => {
    const { approve, asked, held } = heldApprover()
    const gate = await openGate(touch('made'), { answer: approve })
    const turn = await (await gate.startThread()).startTurn('go')
    await asked(1)
    process.kill(gate.codex.pid!, 'SIGKILL')
    expect(await turn.outcome).toMatchObject({ status: 'lost' })
    const reason = await gate.codex.closed
    expect(held[0]!.signal.reason).toBe(reason)
    await vi.waitFor(() => expect(gate.incidents).toHaveLength(1))
    expect(gate.incidents[0]).toMatchObject({ type: 'question-withdrawn', method: COMMAND, reason })
    expect(gate.decisions).toMatchObject([{ by: 'default', cause: 'withdrawn' }])
    expect(existsSync(path.join(gate.cwd, 'made'))).toBe(false)
  })

  it('that fails, or gives what the question does not offer, means no, and the turn goes on', async () => {
    const thrown = new Error('no idea')
    const failing: [Approver, object, string][] = [
      [() => Promise.reject(thrown), thrown, 'failed'],
      [() => 'maybe' as never, { code: 'bad-answer' }, 'bad-answer'],
      [() => ({ content: {} }), { code: 'bad-answer' }, 'bad-answer'],
      [() => undefined as never, { code: 'bad-answer' }, 'bad-answer'],
      [() => null as never, { name: 'TypeError' }, 'failed'],
    ]
    const gate = await openGate(touch('made'), {
      answer: () => {
        throw thrown
      },
    })
    expect((await gate.ask()).items).toMatchObject([{ status: 'declined' }])
    for (const [approver] of failing) {
      gate.answerWith(approver)
      const { outcome, items } = await gate.ask()
      expect(outcome).toMatchObject({ status: 'completed', text: 'fine' })
      expect(items).toMatchObject([{ status: 'declined' }])
    }
    const errors = [thrown, ...failing.map(([, error]) => error)]
    expect(gate.incidents).toMatchObject(
      errors.map((error) => ({ type: 'request-refused', method: COMMAND, error })),
    )
    expect(existsSync(path.join(gate.cwd, 'made'))).toBe(false)
    const causes = ['failed', ...failing.map(([, , cause]) => cause)]
    expect(gate.decisions).toMatchObject(causes.map((cause) => ({ answer: 'deny', by: 'default', cause })))
  })

  it('that is slower than the deadline means no', async () => {
    const { approve, held } = heldApprover()
    const gate = await openGate(touch('made'), { answer: approve, client: { approvalTimeoutMs: 50 } })
    const { outcome, items } = await gate.ask()
    expect(outcome).toMatchObject({ status: 'completed', text: 'fine' })
    expect(items).toMatchObject([{ status: 'declined' }])
    expect(gate.incidents).toMatchObject([{ type: 'request-refused', error: { code: 'approval-timed-out' } }])
    expect(held[0]!.signal.reason).toMatchObject({ code: 'approval-timed-out' })
    held[0]!.answer('once')
    expect((await gate.codex.request('model/list', {})).data).toBeDefined()
    expect(existsSync(path.join(gate.cwd, 'made'))).toBe(false)
    const why = 'nobody answered within 50 ms'
    expect(gate.decisions).toMatchObject([{ answer: 'deny', by: 'default', why, cause: 'timed-out' }])
  })

  it('is not asked what a handler answers', async () => {
    const handlers = { [COMMAND]: () => ({ decision: 'decline' as const }) }
    const gate = await openGate(touch('made'), { answer: 'once', client: { handlers } })
    const { items, asked } = await gate.ask()
    expect(items).toMatchObject([{ status: 'declined' }])
    expect(asked).toEqual([])
  })

  it('may say who decided and why, in time', async () => {
    const decided = { answer: 'deny', by: 'rule', rule: 'no-touch', why: 'house rule' } as const
    const client = { approvalTimeoutMs: 20_000 }
    const gate = await openGate(touch('made'), { answer: () => decided, client })
    expect((await gate.ask()).items).toMatchObject([{ status: 'declined' }])
    expect(gate.decisions).toMatchObject([{ ...decided, at: expect.any(Date) }])
  })

  it('may be missing: the answer is no', async () => {
    const gate = await openGate(touch('made'))
    const { outcome, items } = await gate.ask()
    expect(outcome).toMatchObject({ status: 'completed', text: 'fine' })
    expect(items).toMatchObject([{ status: 'declined' }])
    expect(gate.incidents).toMatchObject([{ type: 'request-refused', method: COMMAND, error: null }])
    expect(gate.decisions).toMatchObject([
      { question: { kind: 'command' }, answer: 'deny', by: 'default', cause: 'no-approver' },
    ])
  })

  it('is obeyed though whoever keeps the record fails', async () => {
    const onDecision = () => {
      throw new Error('disk full')
    }
    const gate = await openGate(touch('made'), { answer: 'once', client: { onDecision } })
    expect((await gate.ask()).items).toMatchObject([{ status: 'completed' }])
    expect(existsSync(path.join(gate.cwd, 'made'))).toBe(true)
    expect(gate.incidents).toMatchObject([
      { type: 'decision-unheard', decision: { answer: 'once' }, error: { message: 'disk full' } },
    ])
  })
})

describe('a sub-agent', () => {
  const agents = { namespace: 'multi_agent_v1' }

  it.each([
    ['once', true],
    ['deny', false],
  ] as const)('asks in the name of the turn it works for; answered %s', async (answer, isMade) => {
    const gate = await openGate(
      (request) => {
        const outputs = toolOutputs(request)
        if (lastUserText(request).includes('CHILD'))
          return outputs.length === 0 ? touch('made') : message('child')
        if (outputs.length === 0) return functionCall('spawn_agent', { message: 'CHILD' }, agents)
        const { agent_id } = JSON.parse(outputs[0]!.text)
        const wait = { targets: [agent_id], timeout_ms: 15_000 }
        return outputs.length === 1 ? functionCall('wait_agent', wait, agents) : message('fine')
      },
      { answer },
    )
    const { outcome, asked } = await gate.ask()
    expect(outcome).toMatchObject({ status: 'completed', text: 'fine' })
    const parent = { threadId: outcome.threadId, turnId: outcome.turnId }
    expect(asked).toMatchObject([{ kind: 'command', parent, cwd: gate.cwd }])
    expect(asked[0]!.threadId).not.toBe(outcome.threadId)
    expect(existsSync(path.join(gate.cwd, 'made'))).toBe(isMade)
  })
})
