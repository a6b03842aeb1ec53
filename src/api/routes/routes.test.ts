import { describe, expect, it } from 'vitest'
import type { z } from 'zod'
import * as contract from '../contract.ts'
import { errorOf, openApi } from '../fixtures/open-api.ts'
import { APPROVAL, DOCTOR_REPORT, MESSAGE, NOTICE, RULE, TASK, WORKER } from '../fixtures/values.ts'

interface Case {
  readonly ask: [method: string, path: string, json?: unknown]
  readonly call: unknown[]
  readonly status?: number
  readonly schema?: z.ZodType
}

const caller = { actor: 'api' }

const CASES: readonly Case[] = [
  {
    ask: ['GET', '/v1/tasks?status=working,waiting&labels=ci&search=x&limit=5&archived=only'],
    call: [
      'list',
      { status: ['working', 'waiting'], labels: ['ci'], search: 'x', limit: 5, archived: 'only' },
    ],
    schema: contract.pageOf(contract.Task),
  },
  {
    ask: ['GET', '/v1/tasks/counts?status=idle&labels=ci&search=x&archived=true'],
    call: ['count', { status: ['idle'], labels: ['ci'], search: 'x', archived: true }],
    schema: contract.CountedTasks,
  },
  {
    ask: ['POST', '/v1/tasks', { prompt: 'hi', cwd: '/repo', preset: 'read-only' }],
    call: ['start', { prompt: 'hi', cwd: '/repo', preset: 'read-only' }, caller],
    status: 201,
    schema: contract.Task,
  },
  { ask: ['GET', '/v1/tasks/task-1'], call: ['get', TASK.id], schema: contract.Task },
  {
    ask: ['GET', '/v1/tasks/task-1/detail?events=20'],
    call: ['show', TASK.id, { events: 20 }],
    schema: contract.TaskDetail,
  },
  {
    ask: ['PATCH', '/v1/tasks/task-1', { archived: true }],
    call: ['change', TASK.id, { archived: true }, caller],
    schema: contract.Task,
  },
  { ask: ['DELETE', '/v1/tasks/task-1'], call: ['delete', TASK.id, caller], status: 204 },
  {
    ask: ['POST', '/v1/tasks/task-1/turns', { input: 'more', overrides: { effort: 'high' } }],
    call: ['send', TASK.id, { input: 'more', mode: 'queue', overrides: { effort: 'high' } }, caller],
    status: 201,
    schema: contract.Message,
  },
  {
    ask: ['POST', '/v1/tasks/task-1/steer', { input: [{ type: 'text', text: 'left' }] }],
    call: [
      'send',
      TASK.id,
      { input: [{ type: 'text', text: 'left', text_elements: [] }], mode: 'steer' },
      caller,
    ],
    status: 201,
  },
  {
    ask: ['DELETE', '/v1/tasks/task-1/messages/message-1'],
    call: ['cancelMessage', TASK.id, MESSAGE.id, caller],
    schema: contract.Message,
  },
  {
    ask: ['GET', '/v1/tasks/task-1/deliverables'],
    call: ['deliverables', TASK.id],
    schema: contract.DeliverableList,
  },
  {
    ask: ['POST', '/v1/tasks/task-1/deliverables/1/answer', { verdict: 'sent-back', words: 'more' }],
    call: ['answerDeliverable', TASK.id, 1, { verdict: 'sent-back', words: 'more' }, caller],
    schema: contract.Deliverable,
  },
  { ask: ['POST', '/v1/tasks/task-1/seen'], call: ['clearAttention', TASK.id, caller], status: 204 },
  {
    ask: ['GET', '/v1/tasks/task-1/caller-messages?status=sent'],
    call: ['callerMessages', TASK.id, { status: 'sent' }],
    schema: contract.CallerMessageList,
  },
  {
    ask: ['POST', '/v1/tasks/task-1/caller-messages/m1/answer', { value: { a: 1 } }],
    call: ['answerCallerMessage', TASK.id, 'm1', { value: { a: 1 } }, caller],
    schema: contract.CallerMessage,
  },
  {
    ask: ['POST', '/v1/tasks/task-1/interrupt'],
    call: ['interrupt', TASK.id, caller, {}],
    schema: contract.Task,
  },
  {
    ask: ['POST', '/v1/tasks/task-1/interrupt', { children: true }],
    call: ['interrupt', TASK.id, caller, { children: true }],
  },
  { ask: ['POST', '/v1/tasks/task-1/fork'], call: ['fork', TASK.id, {}, caller], status: 201 },
  {
    ask: ['POST', '/v1/tasks/task-1/resume', { prompt: 'go on' }],
    call: ['resume', TASK.id, { prompt: 'go on' }, caller],
  },
  {
    ask: ['POST', '/v1/tasks/task-1/wait', { timeoutMs: 10 }],
    call: ['wait', TASK.id, { timeoutMs: 10, through: false }],
    schema: contract.Task,
  },
  {
    ask: ['GET', '/v1/tasks/task-1/events?before=9&limit=3'],
    call: ['events', TASK.id, { before: 9, limit: 3, maxBytes: 1048576 }],
    schema: contract.EventPage,
  },
  {
    ask: ['GET', '/v1/approvals?status=pending'],
    call: ['approvals', { status: 'pending' }],
    schema: contract.pageOf(contract.Approval),
  },
  { ask: ['GET', '/v1/approvals/approval-1'], call: ['approval', APPROVAL.id], schema: contract.Approval },
  {
    ask: ['POST', '/v1/approvals/approval-1', { answer: 'once', why: 'fine' }],
    call: ['decide', APPROVAL.id, { answer: 'once', why: 'fine' }, caller],
    schema: contract.Approval,
  },
  { ask: ['GET', '/v1/audit'], call: ['audit', {}], schema: contract.pageOf(contract.AuditEntry) },
  { ask: ['GET', '/v1/rules?revoked=true'], call: ['rules', { revoked: true }], schema: contract.RuleList },
  {
    ask: ['POST', '/v1/rules', { text: 'allow command ls' }],
    call: ['addRule', { text: 'allow command ls' }, caller],
    status: 201,
    schema: contract.StandingRule,
  },
  {
    ask: ['DELETE', '/v1/rules/rule-1'],
    call: ['revokeRule', RULE.id, caller],
    schema: contract.StandingRule,
  },
  {
    ask: ['GET', '/v1/notices?status=dead'],
    call: ['notices', { status: 'dead' }],
    schema: contract.pageOf(contract.Notice),
  },
  {
    ask: ['POST', '/v1/notices/notice-1/retry'],
    call: ['retryNotice', NOTICE.id, caller],
    schema: contract.Notice,
  },
  { ask: ['GET', '/v1/workers'], call: ['workers'], schema: contract.WorkerList },
  {
    ask: ['POST', '/v1/workers/worker-1/drain'],
    call: ['drainWorker', WORKER.id, { isDraining: true }, caller],
    schema: contract.Worker,
  },
  {
    ask: ['POST', '/v1/workers/worker-1/undrain'],
    call: ['drainWorker', WORKER.id, { isDraining: false }, caller],
    schema: contract.Worker,
  },
  { ask: ['GET', '/v1/models'], call: ['models'], schema: contract.ModelList },
  { ask: ['GET', '/v1/status'], call: ['counts'], schema: contract.Status },
  { ask: ['GET', '/v1/usage'], call: ['usage', { days: 14, timeZone: 'UTC' }], schema: contract.Usage },
  {
    ask: ['GET', '/v1/usage?days=92&timeZone=Europe/Berlin&to=2026-02-28'],
    call: ['usage', { days: 92, timeZone: 'Europe/Berlin', to: '2026-02-28' }],
    schema: contract.Usage,
  },
]

describe('routes', () => {
  it.each(CASES)('$ask.0 $ask.1 asks the service and answers as the contract says', async (expected) => {
    const api = openApi()
    api.log.append('{"method":"turn/started","params":{}}')
    const [method, path, json] = expected.ask
    const response = await api.ask(path, { method, json })
    const text = await response.text()
    expect([response.status, text]).toEqual([expected.status ?? 200, expect.any(String)])
    expect(api.calls).toEqual([expected.call])
    if (expected.schema) expected.schema.parse(JSON.parse(text))
  })

  it('hand the idempotency key on, as the key of a task and as the id of a message', async () => {
    const api = openApi()
    const headers = { 'idempotency-key': 'k-1' }
    await api.ask('/v1/tasks', { method: 'POST', headers, json: { prompt: 'hi', cwd: '/repo' } })
    await api.ask('/v1/tasks/task-1/turns', { method: 'POST', headers, json: { input: 'hi' } })
    await api.ask('/v1/tasks/task-1/steer', { method: 'POST', headers, json: { input: 'hi' } })
    expect(api.calls).toMatchObject([
      ['start', { idempotencyKey: 'k-1' }, caller],
      ['send', TASK.id, { clientMessageId: 'k-1', mode: 'queue' }, caller],
      ['send', TASK.id, { clientMessageId: 'k-1', mode: 'steer' }, caller],
    ])
  })

  it('say where a new task is', async () => {
    const response = await openApi().ask('/v1/tasks', {
      method: 'POST',
      json: { prompt: 'hi', cwd: '/repo' },
    })
    expect(response.headers.get('location')).toBe('/v1/tasks/task-1')
  })

  it('give events as they are stored, to the byte', async () => {
    const api = openApi()
    const frame = '{"method" : "x", "params":{"big":12345678901234567890.10,"\\u00e9":"\\/"}}'
    api.log.append(frame)
    const envelope = `{"taskId":"task-1","seq":1,"at":1000,"event":${frame}}`
    const page = await (await api.ask('/v1/tasks/task-1/events')).text()
    expect(page).toBe(`{"events":[${envelope}],"hasMore":false}`)
    expect(await (await api.ask('/v1/tasks/task-1/detail')).text()).toContain(`"events":[${envelope}]}`)
    expect(await (await api.ask('/v1/tasks/task-1/events/1')).text()).toBe(frame)
  })

  it('show the app-servers of the host', async () => {
    const hosts = await (await openApi().ask('/v1/hosts')).json()
    expect(contract.HostList.parse(hosts).items).toEqual([
      { id: 'local', kind: 'local', appServers: [], ssh: null },
    ])
  })

  it('say whether codex can run, where the service can tell', async () => {
    const api = openApi({ doctor: async () => DOCTOR_REPORT })
    const found = await (await api.ask('/v1/doctor')).json()
    expect(contract.DoctorReport.parse(found)).toEqual(DOCTOR_REPORT)
    expect(await errorOf(await openApi().ask('/v1/doctor'))).toMatchObject({ code: 'not-supported' })
  })

  it('judge a command by standing rules, a preset and rules on trial', async () => {
    const api = openApi()
    const check = async (json: unknown) =>
      contract.CheckedRules.parse(await (await api.ask('/v1/rules/check', { method: 'POST', json })).json())
    expect(await check({ command: 'npm test', cwd: '/repo' })).toMatchObject({
      answer: 'allow',
      rule: { id: 'rule-1' },
    })
    expect(await check({ command: 'npm test', cwd: '/repo', rules: ['deny command npm'] })).toMatchObject({
      answer: 'deny',
    })
    expect(await check({ command: 'git status', cwd: '/repo' })).toMatchObject({ answer: 'ask', rule: null })
  })

  it('say on which side of the sandbox a command is judged, and what its preset gives away', async () => {
    const api = openApi()
    const check = async (json: object) => {
      const asked = { method: 'POST', json: { command: 'git status', cwd: '/repo', ...json } }
      return contract.CheckedRules.parse(await (await api.ask('/v1/rules/check', asked)).json())
    }
    expect(await check({ preset: 'workspace' })).toMatchObject({
      answer: 'ask',
      sandbox: 'outside',
      notes: [],
    })
    expect(await check({ preset: 'workspace', sandboxed: true })).toMatchObject({
      answer: 'allow',
      sandbox: 'inside',
    })
    expect(await check({ preset: 'trusted' })).toMatchObject({
      answer: 'allow',
      sandbox: 'outside',
      notes: [expect.stringContaining('outside the sandbox')],
    })
  })

  it('say which rule on trial cannot be read', async () => {
    const json = { command: 'ls', cwd: '/', rules: ['permit ls'] }
    const response = await openApi().ask('/v1/rules/check', { method: 'POST', json })
    expect(await errorOf(response)).toMatchObject({ status: 400, code: 'bad-request' })
  })

  it.each(['days=0', 'days=93', 'days=1.5', 'timeZone=Mars', 'to=2026-02-30', 'to=today'])(
    'tell no usage for %s',
    async (query) => {
      const api = openApi()
      expect(await errorOf(await api.ask(`/v1/usage?${query}`))).toMatchObject({
        status: 400,
        code: 'bad-request',
        details: { issues: [{ path: `query.${query.split('=')[0]}` }] },
      })
      expect(api.calls).toEqual([])
    },
  )

  it('say what this service does not offer', async () => {
    const response = await openApi().ask('/v1/notices/notice-1/dry-run')
    expect(await errorOf(response)).toMatchObject({ status: 501, code: 'not-supported' })
  })

  it('stop the service when the token asks, after the answer', async () => {
    const stopping = Promise.withResolvers<{ drain: boolean }>()
    const api = openApi({ onShutdown: stopping.resolve })
    const response = await api.ask('/v1/shutdown', { method: 'POST', json: { drain: false } })
    expect(response.status).toBe(202)
    expect(await stopping.promise).toEqual({ drain: false })
  })
})
