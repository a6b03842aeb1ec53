// Rules per thread, before the real codex: they answer first, and only what they leave open is put to anybody.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  type Decision,
  openCodex,
  parseRuleText,
  type Rule,
  type ThreadApprovals,
} from '../../src/codex/index.ts'
import { localHost, webSocketHost } from '../../src/hosts/index.ts'
import {
  applyPatch,
  functionCall,
  lastUserText,
  message,
  shell,
  toolOutputs,
} from '../../src/testing/index.ts'
import { openGate } from '../support/open-gate.ts'
import { bundledCodex } from '../support/raw-codex.ts'

function rule(text: string): Rule {
  const { rule: parsed, problem } = parseRuleText(text)
  if (!parsed) throw new Error(problem)
  return parsed
}

const rules = (...texts: string[]): { approvals: ThreadApprovals } => ({
  approvals: { rules: texts.map(rule) },
})
const touch = shell('touch made', { escalate: 'to show' })
const wasMade = (gate: { cwd: string }) => existsSync(path.join(gate.cwd, 'made'))

describe('a thread with rules', () => {
  it('runs what they allow, and nobody is asked', async () => {
    const gate = await openGate(touch, { answer: 'deny', thread: rules('allow command touch') })
    const { asked, items } = await gate.ask()
    expect(asked).toEqual([])
    expect(items).toMatchObject([{ status: 'completed' }])
    expect(wasMade(gate)).toBe(true)
    expect(gate.decisions).toMatchObject([
      {
        question: { kind: 'command', cwd: gate.cwd },
        answer: 'once',
        by: 'rule',
        rule: rule('allow command touch').id,
        why: expect.stringContaining('allows `touch made`'),
        cause: null,
      },
    ])
    expect(gate.incidents).toEqual([])
  })

  it('does not run what they deny, whatever anybody would say', async () => {
    const gate = await openGate(touch, {
      answer: 'once',
      thread: rules('allow command touch', 'deny command touch'),
    })
    const { asked, outcome, items } = await gate.ask()
    expect(asked).toEqual([])
    expect(outcome).toMatchObject({ status: 'completed', text: 'fine' })
    expect(items).toMatchObject([{ status: 'declined' }])
    expect(wasMade(gate)).toBe(false)
    expect(gate.decisions).toMatchObject([{ answer: 'deny', by: 'rule' }])
  })

  it('puts the rest to the approver, with what the rules said', async () => {
    const rulings: unknown[] = []
    const gate = await openGate(touch, {
      answer: (_, { ruling }) => {
        rulings.push(ruling)
        return 'once'
      },
    })
    await gate.ask(await gate.startThread(rules('ask command touch')))
    await gate.ask(await gate.startThread({ approvals: {} }))
    await gate.ask(await gate.startThread())
    expect(rulings).toMatchObject([
      { answer: 'ask', rule: { kind: 'command' } },
      { answer: 'ask', rule: null },
      null,
    ] as object[])
    expect(gate.decisions).toMatchObject([{ by: 'person' }, { by: 'person' }, { by: 'person' }])
  })

  it('needs no approver for what they answer; the rest is no', async () => {
    const gate = await openGate(touch)
    expect((await gate.ask(await gate.startThread(rules('allow command touch')))).items).toMatchObject([
      { status: 'completed' },
    ])
    expect((await gate.ask(await gate.startThread(rules('allow command cat')))).items).toMatchObject([
      { status: 'declined' },
    ])
    expect(gate.decisions).toMatchObject([{ by: 'rule' }, { by: 'default', cause: 'no-approver' }])
  })

  it('can be given others while it runs; other threads keep theirs', async () => {
    const gate = await openGate(touch, { answer: 'deny' })
    const thread = await gate.startThread(rules('allow command touch'))
    const other = await gate.startThread(rules('allow command touch'))
    expect(thread.approvals).toEqual(rules('allow command touch').approvals)
    expect((await gate.ask(thread)).asked).toHaveLength(0)
    thread.setApprovals(null)
    expect(thread.approvals).toBeNull()
    expect((await gate.ask(thread)).asked).toHaveLength(1)
    expect((await gate.ask(other)).asked).toHaveLength(0)
    thread.setApprovals({ preset: 'trusted' })
    expect((await gate.ask(thread)).asked).toHaveLength(0)
    expect(gate.decisions.map(({ by }) => by)).toEqual(['rule', 'person', 'rule', 'rule'])
  })

  it('keeps them to itself: codex is not told', async () => {
    const gate = await openGate(touch, { answer: 'deny', thread: rules('allow command touch') })
    const thread = await gate.startThread()
    await gate.ask(thread)
    const fork = await gate.codex.forkThread(thread.id, rules('deny command touch'))
    expect(fork.approvals).toEqual(rules('deny command touch').approvals)
    expect(gate.incidents).toEqual([])
  })
})

describe('the workspace of a thread', () => {
  const patch = (file: string) => applyPatch(`*** Begin Patch\n*** Add File: ${file}\n+one\n*** End Patch`)

  it('is its folder, links followed, and what codex says it may write to', async () => {
    let call = patch('inside/a.txt')
    const gate = await openGate((request) => (toolOutputs(request).length > 0 ? message('fine') : call), {
      answer: 'deny',
    })
    const outside = path.join(gate.home.path, 'outside')
    mkdirSync(outside)
    mkdirSync(path.join(gate.cwd, 'inside'))
    symlinkSync(outside, path.join(gate.cwd, 'link'))
    const thread = await gate.startThread({ sandbox: 'read-only', approvals: { preset: 'workspace' } })
    expect(thread.workspaceRoots).toEqual([gate.cwd])
    expect(await gate.ask(thread)).toMatchObject({ asked: [], items: [{ status: 'completed' }] })
    call = patch('link/a.txt')
    expect(await gate.ask(thread)).toMatchObject({ asked: [{ kind: 'file-change' }] })
    expect(existsSync(path.join(outside, 'a.txt'))).toBe(false)

    const config = { 'sandbox_workspace_write.writable_roots': [outside] }
    const untrusted = await gate.startThread({ sandbox: 'workspace-write', config })
    expect(untrusted.workspaceRoots).toEqual([gate.cwd])
    const wider = await gate.startThread({ sandbox: 'workspace-write', config, trustedRoot: gate.cwd })
    expect(wider.workspaceRoots).toEqual([gate.cwd, outside])
  })

  it('follows a turn that works elsewhere', async () => {
    const gate = await openGate(touch, { answer: 'deny' })
    const elsewhere = path.join(gate.cwd, 'elsewhere')
    mkdirSync(elsewhere)
    const thread = await gate.startThread({ approvals: {} })
    await (await thread.startTurn('go', { cwd: elsewhere })).outcome
    expect(thread.workspaceRoots).toEqual([elsewhere])
  })

  it('lets no path through where nobody can say where it leads', async () => {
    const gate = await openGate(patch('a.txt'), { answer: 'deny' })
    const { realPath: _, ...blind } = localHost({ codexHome: gate.home.path, registryDir: null })
    const asked: string[] = []
    const codex = await openCodex(blind, {
      onApproval: ({ kind }) => {
        asked.push(kind)
        return 'deny'
      },
    })
    const thread = await codex.startThread({ cwd: gate.cwd, approvals: { preset: 'workspace' } })
    await (await thread.startTurn('go')).outcome
    await codex.close()
    expect(asked).toEqual(['file-change'])
    expect(existsSync(path.join(gate.cwd, 'a.txt'))).toBe(false)
  })
})

describe('a sub-agent', () => {
  const agents = { namespace: 'multi_agent_v1' }

  it('is under the rules of the thread it works for', async () => {
    const gate = await openGate(
      (request) => {
        const outputs = toolOutputs(request)
        if (lastUserText(request).includes('CHILD')) return outputs.length === 0 ? touch : message('child')
        if (outputs.length === 0) return functionCall('spawn_agent', { message: 'CHILD' }, agents)
        const { agent_id } = JSON.parse(outputs[0]!.text)
        const wait = { targets: [agent_id], timeout_ms: 15_000 }
        return outputs.length === 1 ? functionCall('wait_agent', wait, agents) : message('fine')
      },
      { answer: 'deny', thread: rules('allow command touch') },
    )
    const { outcome, asked } = await gate.ask()
    expect(asked).toEqual([])
    expect(wasMade(gate)).toBe(true)
    const parent = { threadId: outcome.threadId, turnId: outcome.turnId }
    expect(gate.decisions).toMatchObject([{ by: 'rule', answer: 'once', question: { parent } }])
  })
})

describe('a thread that is resumed', () => {
  it('is under the rules it is resumed with', async () => {
    const gate = await openGate(touch, { answer: 'deny' })
    const thread = await gate.startThread(rules('deny command touch'))
    await gate.ask(thread)
    await gate.codex.close()
    const asked: string[] = []
    const codex = await gate.open({
      onApproval: ({ kind }) => {
        asked.push(kind)
        return 'deny'
      },
    })
    const again = await codex.resumeThread(thread.id, { ...thread.policy, ...rules('allow command touch') })
    await (await again.startTurn('go')).outcome
    expect(asked).toEqual([])
    expect(wasMade(gate)).toBe(true)
    const open = await codex.resumeThread(thread.id, rules('deny command touch'))
    expect(open).toBe(again)
    expect(again.approvals).toEqual(rules('deny command touch').approvals)
    await codex.resumeThread(thread.id)
    expect(again.approvals).toEqual(rules('deny command touch').approvals)
  })

  it('is asked nothing that they answer, also when the question is older than the client', async () => {
    const { model, home, cwd } = await openGate(touch)
    // Short: a socket's path has little room.
    const folder = mkdtempSync(path.join(tmpdir(), 'gate-'))
    const socketPath = path.join(folder, 'socket')
    const appServer = spawn(bundledCodex(), ['app-server', '--listen', `unix://${socketPath}`], {
      env: { ...process.env, CODEX_HOME: home.path },
      stdio: 'ignore',
    })
    onTestFinished(async () => {
      appServer.kill()
      await once(appServer, 'exit')
      rmSync(folder, { recursive: true })
    })
    await vi.waitFor(() => expect(existsSync(socketPath)).toBe(true), { timeout: 10_000 })
    const host = webSocketHost({ socketPath })
    const asked = Promise.withResolvers<void>()
    const before = await openCodex(host, {
      onApproval: () => {
        asked.resolve()
        return new Promise(() => {})
      },
    })
    const thread = await before.startThread({ cwd })
    await thread.startTurn('go')
    await asked.promise
    await before.close()

    const decisions: Decision[] = []
    const codex = await openCodex(host, {
      onApproval: () => 'deny',
      onDecision: (decision) => decisions.push(decision),
    })
    const again = await codex.resumeThread(thread.id, rules('allow command touch'))
    await again.whenQuiet()
    await codex.close()
    expect(decisions).toMatchObject([{ answer: 'once', by: 'rule', question: { threadId: thread.id, cwd } }])
    expect(wasMade({ cwd })).toBe(true)
    expect(model.requests).toHaveLength(2)
  })
})
