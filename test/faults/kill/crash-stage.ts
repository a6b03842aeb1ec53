// Tasks that stream, ask, run commands and end, on a model that remembers all it was asked; and what must hold of each
// of them however often things were killed meanwhile.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { ApiError, type DrawbridgeClient, type EventEnvelope, type Task } from '../../../src/api/index.ts'
import { makeCodexHome, makeWorkspace, startScriptedModel } from '../../../src/testing/index.ts'
import { freePort } from '../../support/free-port.ts'
import { AND_THEN, nameIn, script } from './crash-script.ts'
import { isGone, KillableService } from './killable-service.ts'

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
const FOLLOW_MS = 20_000

export async function openStage() {
  const model = await startScriptedModel(script)
  const home = await makeCodexHome(model)
  const workspace = await makeWorkspace()
  const data = await makeWorkspace()
  const service = new KillableService(data.path, await freePort())
  await service.start()
  const close = async () => {
    await service.end()
    await model.close()
    await Promise.all([home.remove(), workspace.remove(), data.remove()])
  }
  return { model, home, cwd: workspace.path, dataDir: data.path, service, close }
}

export type Stage = Awaited<ReturnType<typeof openStage>>

/** A service as its callers see it; `client` may be another door each time. */
export interface Door {
  readonly client: DrawbridgeClient
}

interface Place {
  readonly service: Door
  /** null: each worker has its own. */
  readonly home: Stage['home'] | null
  readonly cwd: string
}

export async function startTask({ service, cwd, home }: Place, name: string): Promise<string> {
  const request = {
    prompt: `Please do task ${name}`,
    cwd,
    ...(home && { codexHome: home.path }),
    policy: { sandbox: 'workspace-write' as const },
    shareFolder: true,
  }
  const task = await persistently(() => service.client.tasks.start(request, { key: name }))
  return task.id
}

/** Follows a task as a browser does, over every kill; gives what it got when it is told to stop. */
export function followTask({ service }: Pick<Place, 'service'>, taskId: string): () => Promise<number[]> {
  const stop = new AbortController()
  const seqs: number[] = []
  const following = (async () => {
    try {
      for await (const { seq } of service.client.tasks.follow(taskId, { signal: stop.signal })) seqs.push(seq)
    } catch (error) {
      if (!stop.signal.aborted) throw error
    }
  })()
  return async () => {
    const { lastSeq } = await persistently(() => service.client.tasks.get(taskId))
    const deadline = Date.now() + FOLLOW_MS
    while ((seqs.at(-1) ?? 0) < lastSeq && Date.now() < deadline) await delay(20)
    stop.abort()
    await following
    return seqs
  }
}

/** Answers what is asked until the task has ended; across kills. */
export async function bringToEnd({ service }: Pick<Place, 'service'>, taskId: string): Promise<Task> {
  const deadline = Date.now() + TASK_DEADLINE_MS
  for (;;) {
    const task = await persistently(() => service.client.tasks.wait(taskId, { timeoutMs: 2_000 }))
    if (task.status === 'waiting') await answerAll(service, taskId)
    else if (!['queued', 'starting', 'working'].includes(task.status)) return task
    if (Date.now() > deadline) return task
  }
}

async function answerAll(door: Door, taskId: string): Promise<void> {
  const page = await persistently(() => door.client.approvals({ taskId, status: 'pending' }))
  for (const { id } of page.items)
    await persistently(() =>
      door.client.answer(id, { answer: 'once' }).catch((error) => {
        // The answer that the kill kept from us had been taken.
        if (error instanceof ApiError && error.code === 'approval-settled') return
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
      if (!isGone(error) || Date.now() > deadline) throw error
      await delay(20)
    }
  }
}

/** What is to be found of a task that was not lost. */
export interface Expected {
  readonly text: string
  readonly items: readonly string[]
  readonly turns: number
  readonly modelCalls: number
}

function expectedOf(name: string): Expected {
  const items = [
    `userMessage Please do task ${name}`,
    `agentMessage ${`thinking of ${name} `.repeat(12)}`,
    'commandExecution asked',
    'commandExecution ran',
    `agentMessage answer ${name}`,
  ]
  return { text: `answer ${name}`, items, turns: 1, modelCalls: 3 }
}

/** With another turn after the first. */
export function expectedOfTwo(name: string): Expected {
  const { items } = expectedOf(name)
  const more = [`userMessage ${AND_THEN} ${name}`, `agentMessage noted ${name}`]
  return { text: `noted ${name}`, items: [...items, ...more], turns: 2, modelCalls: 4 }
}

export async function check(
  stage: Pick<Stage, 'cwd' | 'model'> & { service: Door },
  {
    taskId,
    name,
    isWhole,
    followed,
    expected = expectedOf(name),
  }: { taskId: string; name: string; isWhole: boolean; followed: readonly number[]; expected?: Expected },
  findings: Findings,
): Promise<void> {
  const { cwd } = stage
  const { client } = stage.service
  const task = await client.tasks.get(taskId)
  const { items: approvals } = await client.approvals({ taskId })
  const { events } = await client.tasks.events(taskId, { after: 0, limit: 2_000 })
  const { status, reason, evidence, result } = task
  if (status !== 'completed') complain(findings, 'wrongStatus', { name, status, reason, evidence })
  if (result?.text !== expected.text) complain(findings, 'lostAnswers', { name, result })
  checkFollowed(followed, events, { name, findings })
  if (!isWhole) return
  const answered = approvals.filter((approval) => approval.status === 'answered')
  if (answered.length < 1) complain(findings, 'lostQuestions', { name, approvals })
  if (approvals.length > 1) complain(findings, 'doubledQuestions', { name, approvals })
  const lines = readFileSync(path.join(cwd, 'asked.txt'), 'utf8')
    .split('\n')
    .filter((line) => line === name)
  if (lines.length !== 1) complain(findings, 'wrongCommands', { name, times: lines.length })
  checkEvents(events, { name, findings, model: stage.model, expected })
}

/** Whoever follows gets every event that is kept, once and in order. Deltas may have come and gone before. */
function checkFollowed(
  followed: readonly number[],
  events: readonly EventEnvelope[],
  { name, findings }: { name: string; findings: Findings },
): void {
  const got = new Set(followed)
  const missed = events.filter(({ seq }) => !got.has(seq)).map(({ seq }) => seq)
  if (missed.length > 0) complain(findings, 'missingEvents', { name, notFollowed: missed })
  if (followed.some((seq, index) => index > 0 && seq <= followed[index - 1]!))
    complain(findings, 'duplicateEvents', { name, followed })
}

function checkEvents(
  events: readonly EventEnvelope[],
  {
    name,
    findings,
    model,
    expected: { items, turns, modelCalls },
  }: { name: string; findings: Findings; model: Stage['model']; expected: Expected },
): void {
  const seen = events
    .filter(({ event }) => event.method === 'item/completed')
    .map(({ event }) => describeItem((event.params as { item: unknown }).item))
  for (const wanted of items) {
    const count = seen.filter((found) => found === wanted).length
    if (count === 0) complain(findings, 'missingEvents', { name, wanted, seen })
    if (count > 1) complain(findings, 'duplicateEvents', { name, wanted, count })
  }
  const ended = events.filter(({ event }) => event.method === 'turn/completed')
  if (ended.length < turns) complain(findings, 'missingEvents', { name, ended })
  if (ended.length > turns)
    complain(findings, 'duplicateEvents', { name, ended, seen, statuses: statusesIn(events) })
  const stray = seen.filter((found) => !items.includes(found))
  if (stray.length > 0) complain(findings, 'duplicateEvents', { name, stray })
  const isOrdered = events.every(({ seq }, index) => index === 0 || seq > events[index - 1]!.seq)
  if (!isOrdered) complain(findings, 'duplicateEvents', { name, order: events.map(({ seq }) => seq) })
  const asked = model.requests.filter((request) => nameIn(request) === name).length
  if (asked !== modelCalls) complain(findings, 'duplicateEvents', { name, modelCalls: asked })
}

/** How the task got there, in the order of its log. */
function statusesIn(events: readonly EventEnvelope[]): unknown[] {
  return events
    .filter(({ event }) => event.method === 'drawbridge/task')
    .map(({ seq, event }) => ({ seq, ...(event.params as object) }))
}

// biome-ignore lint/suspicious/noExplicitAny: an item of codex's, as it came
function describeItem(item: any): string {
  if (item.type === 'userMessage') return `userMessage ${item.content[0]?.text}`
  if (item.type === 'agentMessage') return `agentMessage ${item.text}`
  if (item.type === 'commandExecution')
    return `commandExecution ${String(item.command).includes('asked.txt') ? 'asked' : 'ran'}`
  return item.type
}

export function complain<What extends string>(
  findings: Record<What, number>,
  what: NoInfer<What>,
  details: unknown,
): void {
  findings[what]++
  process.stderr.write(`${what}: ${JSON.stringify(details).slice(0, 2_000)}\n`)
}
