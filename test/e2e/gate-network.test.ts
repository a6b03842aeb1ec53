// The real codex behind its managed network: it asks about each host that its administrator has not allowed.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Answer, parseRuleText, type ThreadOptions } from '../../src/codex/index.ts'
import { shell } from '../../src/testing/index.ts'
import { canManageCodex, managedCodex } from '../support/managed-codex.ts'
import { openGate } from '../support/open-gate.ts'

const COMMAND = 'item/commandExecution/requestApproval'
const REQUIREMENTS = `
[experimental_network]
enabled = true
allow_local_binding = true
[experimental_network.domains]
"allowed.example" = "allow"
`

/** A host of the world, here, and how often it was reached. */
async function wanted() {
  let reached = 0
  const server = createServer((_, response) => {
    reached++
    response.end('hello from the host')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { port: (server.address() as AddressInfo).port, reached: () => reached }
}

async function open(answer: Answer, thread: ThreadOptions = {}) {
  const { port, reached } = await wanted()
  const gate = await openGate(shell(`curl -sS -m 10 --noproxy '' http://127.0.0.1:${port}/`), {
    answer,
    codexPath: managedCodex(REQUIREMENTS),
    thread: { sandbox: 'workspace-write', ...thread },
  })
  return { ...gate, reached }
}

// Where the machine does not allow namespaces, codex cannot be given an administrator.
describe.runIf(canManageCodex())('a host that is not allowed', () => {
  it('is asked about with its name and protocol, and what each answer would do', async () => {
    const gate = await open('deny')
    const { asked, outcome, items, told } = await gate.ask()
    expect(asked).toMatchObject([
      {
        kind: 'command',
        method: COMMAND,
        threadId: outcome.threadId,
        turnId: outcome.turnId,
        title: 'reach 127.0.0.1 over http',
        reason: 'Network access to 127.0.0.1 requires approval',
        command: '',
        cwd: gate.cwd,
        network: { host: '127.0.0.1', protocol: 'http' },
        choices: [
          { word: 'once', effect: 'The host is reached now.' },
          { word: 'session', effect: "Don't ask again for this host in this task." },
          { word: 'always', effect: expect.stringContaining('127.0.0.1, in every task') },
          { word: 'deny', effect: 'The host is not reached. Codex is told, and the turn goes on.' },
          { word: 'cancel', effect: 'The host is not reached, and the turn ends.' },
        ],
      },
    ])
    expect(outcome).toMatchObject({ status: 'completed', text: 'fine' })
    expect(items).toMatchObject([{ type: 'commandExecution', status: 'failed' }])
    expect(told[0]!.text).toContain('rejected by user')
    expect(gate.reached()).toBe(0)
  })

  it.each([
    ['once', 1, 1],
    ['session', 0, 1],
    ['always', 0, 0],
  ] as const)('answered %s is reached, and asked about again or not', async (answer, onThread, elsewhere) => {
    const gate = await open(answer)
    const thread = await gate.startThread()
    const first = await gate.ask(thread)
    expect(first.asked).toHaveLength(1)
    expect(first.told[0]!.text).toContain('hello from the host')
    expect((await gate.ask(thread)).asked).toHaveLength(onThread)
    expect((await gate.ask()).asked).toHaveLength(elsewhere)
    expect(gate.reached()).toBe(3)
    expect(gate.incidents).toEqual([])
  })

  it('answered always is in codex’s own rules', async () => {
    const gate = await open('always')
    await gate.ask()
    const network_policy_amendment = { host: '127.0.0.1', action: 'allow' }
    expect(gate.replies(COMMAND)).toEqual([
      { decision: { applyNetworkPolicyAmendment: { network_policy_amendment } } },
    ])
    const rules = readFileSync(path.join(gate.home.path, 'rules', 'default.rules'), 'utf8')
    expect(rules).toContain('network_rule(host="127.0.0.1", protocol="http", decision="allow"')
  })

  it('answered cancel is not reached, and the turn ends', async () => {
    const gate = await open('cancel')
    expect((await gate.ask()).outcome).toMatchObject({ status: 'interrupted' })
    expect(gate.reached()).toBe(0)
  })

  it('is reached, or not, as a rule of the thread says', async () => {
    for (const [text, count] of [
      ['allow host 127.0.0.1', 1],
      ['deny host 127.0.0.1', 0],
    ] as const) {
      const gate = await open('cancel', { approvals: { rules: [parseRuleText(text).rule!] } })
      expect((await gate.ask()).asked).toEqual([])
      expect(gate.reached()).toBe(count)
      expect(gate.decisions).toMatchObject([{ by: 'rule', question: { network: { host: '127.0.0.1' } } }])
    }
  })
})
