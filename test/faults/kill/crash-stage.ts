// Tasks that stream, ask, run commands and end, on a model that remembers all it was asked; and what must hold of each
// of them however often things were killed meanwhile.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import {
  lastUserText,
  type ModelRequest,
  makeCodexHome,
  makeWorkspace,
  message,
  type Reply,
  shell,
  startScriptedModel,
  toolOutputs,
} from '../../../src/testing/index.ts'
import { CallRefused, KillableService, ServiceGone } from './killable-service.ts'

export interface Findings {
  rounds: number
  killed: number
  lostAnswers: number
  lostQuestions: number
  doubledQuestions: number
  missingEvents: number
  duplicateEvents: number
  wrongCommands: number
  wrongStatus: number
  leftovers: number
}

export const NOTHING: Findings = {
  rounds: 0,
  killed: 0,
  lostAnswers: 0,
  lostQuestions: 0,
  doubledQuestions: 0,
  missingEvents: 0,
  duplicateEvents: 0,
  wrongCommands: 0,
  wrongStatus: 0,
  leftovers: 0,
}

const TASK_DEADLINE_MS = 60_000

export async function openStage() {
  const model = await startScriptedModel(script)
  const home = await makeCodexHome(model)
  const workspace = await makeWorkspace()
  const data = await makeWorkspace()
  const service = new KillableService(data.path)
  await service.start()
  const close = async () => {
    await service.call('end').catch(() => {})
    await service.kill()
    await model.close()
    await Promise.all([home.remove(), workspace.remove(), data.remove()])
  }
  return { model, home, cwd: workspace.path, dataDir: data.path, service, close }
}

export type Stage = Awaited<ReturnType<typeof openStage>>

/** Streams, asks to run a command, runs another, answers. The last word of the prompt is its name. */
function script(request: ModelRequest): Reply {
  const name = nameIn(request)
  const done = toolOutputs(request).length
  if (done === 0)
    return [
      message(`thinking of ${name} `, { count: 12, delayMs: 15 }),
      shell(`echo ${name} >> asked.txt`, { escalate: `to note ${name}` }),
    ]
  if (done === 1) return shell(`sleep 0.3; echo ran ${name}`)
  return message(['answer ', name], { delayMs: 20 })
}

/** Of a resumed task too: its first prompt has it. */
function nameIn(request: ModelRequest): string {
  const text = JSON.stringify(request.body.input)
  return /task (t\d+x)/.exec(text)?.[1] ?? lastUserText(request)
}

export async function startTask({ service, cwd, home }: Stage, name: string): Promise<string> {
  const request = {
    prompt: `Please do task ${name}`,
    cwd,
    codexHome: home.path,
    policy: { sandbox: 'workspace-write' },
    idempotencyKey: name,
  }
  const task = await persistently(() => service.call('start', request, { actor: 'test' }))
  return task.id
}

/** Answers what is asked until the task has ended; across kills. */
export async function bringToEnd({ service }: Stage, taskId: string): Promise<{ status: string }> {
  const deadline = Date.now() + TASK_DEADLINE_MS
  for (;;) {
    const task = await persistently(() => service.call('wait', taskId, { timeoutMs: 2_000 }))
    if (task.status === 'waiting') await answerAll(service, taskId)
    else if (!['queued', 'starting', 'working'].includes(task.status)) return task
    if (Date.now() > deadline) return task
  }
}

async function answerAll(service: KillableService, taskId: string): Promise<void> {
  const page = await persistently(() => service.call('approvals', { taskId, status: 'pending' }))
  for (const { id } of page.items)
    await persistently(() =>
      service.call('decide', id, { answer: 'once' }, { actor: 'test' }).catch((error) => {
        // The answer that the kill kept from us had been taken.
        if (error instanceof CallRefused && error.code === 'approval-settled') return
        throw error
      }),
    )
}

/** Again, as soon as the service is back, when it was gone. */
export async function persistently<T>(call: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + TASK_DEADLINE_MS
  for (;;) {
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof ServiceGone) || Date.now() > deadline) throw error
      await delay(20)
    }
  }
}

export async function check(
  stage: Stage,
  { taskId, name, isWhole }: { taskId: string; name: string; isWhole: boolean },
  findings: Findings,
): Promise<void> {
  const { service, cwd } = stage
  const task = await service.call('get', taskId)
  const { items: approvals } = await service.call('approvals', { taskId })
  const { events } = await service.call('events', taskId, { after: 0, limit: 2_000 })
  if (task.status !== 'completed')
    complain(findings, 'wrongStatus', {
      name,
      status: task.status,
      reason: task.reason,
      evidence: task.evidence,
    })
  if (task.result?.text !== `answer ${name}`) complain(findings, 'lostAnswers', { name, result: task.result })
  if (!isWhole) return
  const answered = approvals.filter(({ status }: { status: string }) => status === 'answered')
  if (answered.length < 1) complain(findings, 'lostQuestions', { name, approvals })
  if (approvals.length > 1) complain(findings, 'doubledQuestions', { name, approvals })
  const lines = readFileSync(path.join(cwd, 'asked.txt'), 'utf8')
    .split('\n')
    .filter((line) => line === name)
  if (lines.length !== 1) complain(findings, 'wrongCommands', { name, times: lines.length })
  checkEvents(events, { name, findings, model: stage.model })
}

interface SeenEvent {
  readonly seq: number
  readonly method: string
  readonly frame: string
}

function checkEvents(
  events: readonly SeenEvent[],
  { name, findings, model }: { name: string; findings: Findings; model: Stage['model'] },
): void {
  const completed = events
    .filter(({ method }) => method === 'item/completed')
    .map(({ frame }) => JSON.parse(frame).params.item)
  const expected = [
    `userMessage Please do task ${name}`,
    `agentMessage ${`thinking of ${name} `.repeat(12)}`,
    `commandExecution asked`,
    `commandExecution ran`,
    `agentMessage answer ${name}`,
    'turn/completed',
  ]
  const seen = [
    ...completed.map(describeItem),
    ...events.filter(({ method }) => method === 'turn/completed').map(({ method }) => method),
  ]
  for (const wanted of expected) {
    const count = seen.filter((found) => found === wanted).length
    if (count === 0) complain(findings, 'missingEvents', { name, wanted, seen })
    if (count > 1) complain(findings, 'duplicateEvents', { name, wanted, count })
  }
  const stray = seen.filter((found) => !expected.includes(found))
  if (stray.length > 0) complain(findings, 'duplicateEvents', { name, stray })
  const isOrdered = events.every(({ seq }, index) => index === 0 || seq > events[index - 1]!.seq)
  if (!isOrdered) complain(findings, 'duplicateEvents', { name, order: events.map(({ seq }) => seq) })
  const asked = model.requests.filter((request) => nameIn(request) === name).length
  if (asked !== 3) complain(findings, 'duplicateEvents', { name, modelCalls: asked })
}

// biome-ignore lint/suspicious/noExplicitAny: an item of codex's, as it came
function describeItem(item: any): string {
  if (item.type === 'userMessage') return `userMessage ${item.content[0]?.text}`
  if (item.type === 'agentMessage') return `agentMessage ${item.text}`
  if (item.type === 'commandExecution')
    return `commandExecution ${String(item.command).includes('asked.txt') ? 'asked' : 'ran'}`
  return item.type
}

export function complain(findings: Findings, what: keyof Findings, details: unknown): void {
  findings[what]++
  process.stderr.write(`${what}: ${JSON.stringify(details).slice(0, 2_000)}\n`)
}
