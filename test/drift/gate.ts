// Every answer to everything this version of codex asks, and what it then does. What is shown, and the odd cases, are
// in test/e2e/gate-*.test.ts for the newest version.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Answer, parseRuleText } from '../../src/codex/index.ts'
import { refuse } from '../../src/codex/requests/families.ts'
import {
  applyPatch,
  functionCall,
  httpError,
  type ModelRequest,
  message,
  type Reply,
  shell,
  toolOutputs,
} from '../../src/testing/index.ts'
import { mcpServer } from '../support/mcp-server.ts'
import { type AskedTurn, openGate } from '../support/open-gate.ts'
import { replySchemas } from '../support/reply-schemas.ts'
import type { Subject } from './conformance.ts'

const ACCOUNT = 'https://api.openai.com/auth'
const REFUSED = expect.stringContaining('auth refresh request failed: code=-32000')
const madeUpLogin = {
  'model_providers.scripted.requires_openai_auth': true,
  // Not OpenAI's: there the login would be known to be none.
  chatgpt_base_url: 'http://127.0.0.1:9',
}

/** What came of a turn: how often it asked, how its last item ended, how it ended itself. */
function end({ asked, items, outcome }: AskedTurn): string {
  return `${asked.length} ${items.at(-1)?.status ?? 'no item'} ${outcome.status}`
}

export function gateConforms({ version, expected, codexPath }: Subject): void {
  type Options = NonNullable<Parameters<typeof openGate>[1]>
  const open = (calls: Parameters<typeof openGate>[0], options: Omit<Options, 'codexPath'>) =>
    openGate(calls, { ...options, codexPath: codexPath(), endsLate: expected.endsLate })

  describe('the gate', () => {
    it('runs commands as they are answered', async () => {
      const gate = await open(shell('touch made', { escalate: 'to show' }), { answer: 'deny' })
      const made = path.join(gate.cwd, 'made')
      const ended = async (answer: Answer, thread?: Parameters<typeof gate.ask>[0]) => {
        gate.answerWith(answer)
        rmSync(made, { force: true })
        // For good is only offered where codex's own rule lets it out of the sandbox.
        const on = thread ?? (await gate.startThread({ trustedRoot: gate.cwd }))
        return `${end(await gate.ask(on))}${existsSync(made) ? ' made' : ''}`
      }
      expect(await ended('deny')).toBe('1 declined completed')
      expect(await ended('cancel')).toBe('1 declined interrupted')
      const thread = await gate.startThread()
      expect(await ended('once', thread)).toBe('1 completed completed made')
      expect(await ended('session', thread)).toBe('1 completed completed made')
      expect(await ended('deny', thread)).toBe('0 completed completed made')
      expect(await ended('always')).toBe('1 completed completed made')
      expect(await ended('deny')).toBe('0 completed completed made')
      const [question] = gate.questions
      expect(question).toMatchObject({ kind: 'command', cwd: gate.cwd, reason: 'to show' })
      expect(question!.choices).toHaveLength(5)
      expect(gate.incidents).toEqual([])
    })

    it('answers by the rules of a thread before anybody is asked', async () => {
      const patch = '*** Begin Patch\n*** Add File: inside\n+one\n*** End Patch'
      const calls = [shell('touch made', { escalate: 'to show' }), applyPatch(patch)]
      const gate = await open(calls, { answer: 'cancel' })
      const made = () => ['made', 'inside'].filter((name) => existsSync(path.join(gate.cwd, name)))
      const rule = (text: string) => parseRuleText(text).rule!
      const denied = { rules: [rule('deny command touch'), rule('deny path **/inside')] }
      expect((await gate.ask(await gate.startThread({ approvals: denied }))).outcome.status).toBe('completed')
      expect(made()).toEqual([])
      const approvals = { preset: 'workspace', rules: [rule('allow command touch')] } as const
      const thread = await gate.startThread({ approvals })
      expect(thread.workspaceRoots).toEqual([gate.cwd])
      expect((await gate.ask(thread)).outcome.status).toBe('completed')
      expect(made()).toEqual(['made', 'inside'])
      expect(gate.questions).toEqual([])
      expect(gate.decisions.map(({ answer, by }) => `${answer} by ${by}`)).toEqual([
        'deny by rule',
        'deny by rule',
        'once by rule',
        'once by rule',
      ])
    })

    it('changes files as they are answered', async () => {
      const patch = '*** Begin Patch\n*** Add File: made\n+one\n*** End Patch'
      const gate = await open(applyPatch(patch), { answer: 'deny' })
      const made = path.join(gate.cwd, 'made')
      const ended = async (answer: Answer, thread?: Parameters<typeof gate.ask>[0]) => {
        gate.answerWith(answer)
        rmSync(made, { force: true })
        return `${end(await gate.ask(thread))}${existsSync(made) ? ' made' : ''}`
      }
      expect(await ended('deny')).toBe('1 declined completed')
      expect(await ended('cancel')).toBe(`1 ${expected.cancelledFileChange} interrupted`)
      const thread = await gate.startThread()
      expect(await ended('once', thread)).toBe('1 completed completed made')
      expect(await ended('session', thread)).toBe('1 completed completed made')
      expect(await ended('deny', thread)).toBe('0 completed completed made')
      for (const question of gate.questions)
        expect(question).toMatchObject({ cwd: gate.cwd, changes: [{ path: made, diff: 'one\n' }] })
    })

    it('grants all permissions, a part, or none', async () => {
      const permissions = { file_system: { write: ['a', 'b'] }, network: { enabled: true } }
      const call = functionCall('request_permissions', { reason: 'to show', permissions })
      const home = { config: { 'features.request_permissions_tool': true } }
      const gate = await open(call, { answer: 'deny', home })
      for (const name of ['a', 'b']) mkdirSync(path.join(gate.cwd, name))
      const [a, b] = ['a', 'b'].map((name) => path.join(gate.cwd, name)) as [string, string]
      const granted = async (answer: Answer) => {
        gate.answerWith(answer)
        const { told, outcome } = await gate.ask()
        expect(outcome).toMatchObject({ status: 'completed' })
        return JSON.parse(told[0]!.text)
      }
      expect(await granted('deny')).toMatchObject({ permissions: { network: null, file_system: null } })
      const all = { network: { enabled: true }, file_system: { write: [a, b] } }
      expect(await granted('once')).toMatchObject({ permissions: all, scope: 'turn' })
      expect(await granted('session')).toMatchObject({ permissions: all, scope: 'session' })
      const part = { permissions: { fileSystem: { write: [a] } as never }, scope: 'turn' } as const
      const partly = await granted(part)
      expect(partly).toMatchObject({ permissions: { network: null, file_system: { write: [a] } } })
      expect(gate.questions[0]).toMatchObject({ kind: 'permissions', cwd: gate.cwd, reason: 'to show' })
    })

    it('answers the model’s questions', async () => {
      const options = ['Yes', 'No'].map((label) => ({ label, description: 'so' }))
      const questions = [{ id: 'go', header: 'Go', question: 'Shall we?', options }]
      const thread = { config: { 'features.default_mode_request_user_input': true } }
      const gate = await open(functionCall('request_user_input', { questions }), { answer: 'deny', thread })
      expect((await gate.ask()).told).toMatchObject([{ text: '{"answers":{}}' }])
      gate.answerWith({ answers: { go: ['Yes'] } })
      expect((await gate.ask()).told).toMatchObject([{ text: '{"answers":{"go":{"answers":["Yes"]}}}' }])
    })

    it('answers for MCP servers: tools, forms, pages', async () => {
      const server = mcpServer()
      let call: Reply = []
      const script = (request: ModelRequest) => (toolOutputs(request).length > 0 ? message('fine') : call)
      const gate = await open(script, { answer: 'deny', home: { toml: server.toml } })
      const use = (name: string, args: object) => {
        call = functionCall(name, args, { namespace: expected.mcpNamespace })
      }
      const ended = async (answer: Answer) => {
        gate.answerWith(answer)
        const turn = await gate.ask()
        expect(turn.outcome).toMatchObject({ status: 'completed', text: 'fine' })
        return { asked: turn.asked.length, ...JSON.parse(heard(turn)) }
      }
      // It ends no turn, so we do not offer it.
      const cancel = { result: { action: 'cancel', content: null, _meta: null } }
      use('danger', { n: 1 })
      expect(await ended('deny')).toEqual({ asked: 1, error: 'user rejected MCP tool call' })
      expect(await ended(cancel)).toEqual({ asked: 1, error: 'user cancelled MCP tool call' })
      expect(server.runs()).toBe(0)
      expect(await ended('once')).toEqual({ asked: 1 })
      expect(await ended('session')).toEqual({ asked: 1 })
      expect(await ended('always')).toEqual({ asked: 1 })
      expect(await ended('deny')).toEqual({ asked: 0 })
      expect(server.runs()).toBe(4)
      const tool = { kind: 'mcp-tool', server: 'asker', tool: 'danger', arguments: { n: 1 } }
      for (const question of gate.questions)
        expect(question).toMatchObject({ ...tool, itemId: expect.any(String) })
      expect(readFileSync(path.join(gate.home.path, 'config.toml'), 'utf8')).toContain(
        'approval_mode = "approve"',
      )

      const properties = { colour: { type: 'string' } }
      use('form', { requestedSchema: { type: 'object', properties, required: ['colour'] } })
      expect(await ended('deny')).toMatchObject({ asked: 1, action: 'decline' })
      expect(await ended(cancel)).toMatchObject({ asked: 1, action: 'cancel' })
      const content = { colour: 'red' }
      expect(await ended({ content })).toMatchObject({ asked: 1, action: 'accept', content })

      const _meta = { codex_approval_kind: 'mcp_tool_call', persist: ['always'], tool_params: {} }
      const posed = 'Allow the asker MCP server to run tool "danger"?'
      use('form', { _meta, message: posed, requestedSchema: { type: 'object', properties: {} } })
      expect(await ended('deny')).toMatchObject({ asked: 1, action: 'decline' })
      expect(gate.questions.at(-1)).toMatchObject({ kind: 'elicitation', itemId: null })

      use('page', { url: 'https://example.com/' })
      expect(await ended('deny')).toMatchObject({ asked: 1, action: 'decline' })
      expect(await ended('once')).toMatchObject({ asked: 1, action: 'accept' })
    })

    // Some versions cannot be made to ask for it offline.
    const whereAsked: (name: string, run: () => Promise<void>) => void = expected.refreshesTokens
      ? it
      : () => {}
    whereAsked('refreshes ChatGPT tokens through a handler, else the turn fails', async () => {
      const handlers = {
        'account/chatgptAuthTokens/refresh': () => ({
          accessToken: token('fresh'),
          chatgptAccountId: 'account',
          chatgptPlanType: 'pro',
        }),
      }
      for (const client of [{ handlers }, {}]) {
        let calls = 0
        const script = () =>
          calls++ === 0 ? httpError(401, { error: { message: 'expired' } }) : message('fine')
        const gate = await open(script, {
          client: { experimental: true, ...client },
          home: { config: madeUpLogin },
        })
        await gate.codex.request('account/login/start', {
          type: 'chatgptAuthTokens',
          accessToken: token('stale'),
          chatgptAccountId: 'account',
          chatgptPlanType: 'pro',
        } as never)
        const { outcome } = await gate.ask()
        const why = { reason: 'unauthorized', previousAccountId: 'account' }
        expect(gate.exchanges).toMatchObject([{ params: why }])
        if ('handlers' in client) expect(outcome).toMatchObject({ status: 'completed', text: 'fine' })
        else expect(outcome).toMatchObject({ status: 'failed', error: { message: REFUSED } })
      }
    })

    it('denies what older threads ask in this version’s shape', async () => {
      const check = await replySchemas(codexPath())
      const facts = {
        requestId: 1,
        parent: null,
        codexVersion: version,
        cwd: '/',
        escalation: null,
        changes: [],
        toolCalls: [],
      }
      for (const method of ['applyPatchApproval', 'execCommandApproval'])
        expect(check(method, refuse(method, {}, facts))).toBeNull()
    })
  })
}

/** What the server was answered, as its tool tells; what codex said when it did not run. */
function heard({ items }: AskedTurn): string {
  const { result, error } = items[0]!
  if (error) return JSON.stringify({ error: error.message })
  const { text } = result.content[0]
  return text.startsWith('{') ? text : '{}'
}

/** What passes for a login: nobody here checks the signature. */
function token(name: string): string {
  const claims = {
    email: `${name}@example.com`,
    [ACCOUNT]: { chatgpt_account_id: 'account', chatgpt_plan_type: 'pro' },
  }
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  return [part({ alg: 'none' }), part({ ...claims, exp: 4_102_444_800 }), 'none'].join('.')
}
