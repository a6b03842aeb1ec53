// The real codex with a model that calls the same tools in every turn, and somebody who answers what codex asks.
import { expect } from 'vitest'
import type {
  Answer,
  Approver,
  CodexOptions,
  Decision,
  Incident,
  Question,
  ServerMethod,
  Thread,
  ThreadOptions,
  Turn,
  TurnOutcome,
} from '../../src/codex/index.ts'
import {
  type CodexHomeOptions,
  type ModelRequest,
  message,
  type Reply,
  type ToolOutput,
  toolOutputs,
} from '../../src/testing/index.ts'
import { openClient } from './open-client.ts'
import { bundledCodex } from './raw-codex.ts'
import { type Exchange, recordedHost } from './recorded-host.ts'
import { replySchemas } from './reply-schemas.ts'

interface Options {
  /** One answer for all questions, or whoever gives them. Absent: nobody. */
  readonly answer?: Answer | Approver
  readonly client?: CodexOptions
  readonly home?: CodexHomeOptions
  readonly thread?: ThreadOptions
  readonly codexPath?: string
  /** In this version a command can end after its turn: its end is waited for. */
  readonly endsLate?: boolean
}

export interface AskedTurn {
  readonly outcome: TurnOutcome
  /** What was asked during it. */
  readonly asked: readonly Question[]
  /** Its completed items, without what was said. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever it expects to be there
  readonly items: readonly any[]
  /** What the model was told of its tool calls. */
  readonly told: readonly ToolOutput[]
}

/** Calls these tools in every turn, and says `fine` once it has heard of them. */
function always(calls: Reply) {
  return (request: ModelRequest): Reply => (toolOutputs(request).length > 0 ? message('fine') : calls)
}

export async function openGate(
  calls: Reply | ((request: ModelRequest) => Reply),
  { answer, client = {}, home, thread: threadOptions, codexPath = bundledCodex(), endsLate }: Options = {},
) {
  const exchanges: Exchange[] = []
  const questions: Question[] = []
  const decisions: Decision[] = []
  const incidents: Incident[] = []
  let current = answer
  const approver: Approver = (question, context) => {
    questions.push(question)
    return typeof current === 'function' ? current(question, context) : current!
  }
  /** From now on the answer is this one. */
  const answerWith = (next: Answer | Approver) => {
    current = next
  }
  const checkReply = await replySchemas(codexPath)
  const opened = await openClient(typeof calls === 'function' ? calls : always(calls), {
    ...(home && { home }),
    host: { codexPath },
    wrapHost: (host) => recordedHost(host, exchanges),
    client: {
      ...(answer !== undefined && { onApproval: approver }),
      onDecision: (decision) => decisions.push(decision),
      onIncident: (incident) => incidents.push(incident),
      ...client,
    },
  })
  const { codex, model, cwd } = opened
  const ended = new Map<string, unknown>()
  codex.subscribe(({ method, params }) => {
    if (method === 'item/completed') ended.set(params.item.id, params.item)
  })
  const startThread = (options: ThreadOptions = {}) =>
    codex.startThread({ cwd, ...threadOptions, ...options })

  /** Every reply so far is one that this codex's own schema allows. */
  function expectValidReplies(): void {
    const wrong = exchanges
      .filter(({ reply }) => reply && !reply.error)
      .map(({ method, reply }) => checkReply(method, reply?.result))
    expect(wrong.filter((problem) => problem !== null)).toEqual([])
  }

  /** What went back to codex for requests of this method, oldest first. */
  const replies = (method: ServerMethod) =>
    exchanges
      .filter((exchange) => exchange.method === method)
      .map(({ reply }) => reply?.result ?? reply?.error)

  /** Runs a turn to its end, on a new thread unless one is given. */
  async function ask(on?: Thread): Promise<AskedTurn> {
    const before = questions.length
    const thread = on ?? (await startThread())
    const turn = await thread.startTurn('go', { timeoutMs: 20_000 })
    const items = await completedItems(turn, endsLate ? ended : undefined)
    const outcome = await turn.outcome
    expectValidReplies()
    const last = model.requests.findLast(({ threadId }) => threadId === thread.id)
    return { outcome, asked: questions.slice(before), items, told: last ? toolOutputs(last) : [] }
  }

  return {
    ...opened,
    startThread,
    answerWith,
    ask,
    questions,
    decisions,
    incidents,
    exchanges,
    replies,
    expectValidReplies,
  }
}

/** With `ended`, which the client fills, also the commands that end after the turn. */
async function completedItems(turn: Turn, ended?: ReadonlyMap<string, unknown>): Promise<unknown[]> {
  const items: unknown[] = []
  const running = new Set<string>()
  for await (const { method, params } of turn) {
    if (method === 'item/started' && params.item.type === 'commandExecution') running.add(params.item.id)
    if (method !== 'item/completed' || /Message$/.test(params.item.type)) continue
    running.delete(params.item.id)
    items.push(params.item)
  }
  if (!ended) return items
  await expect.poll(() => [...running].filter((id) => !ended.has(id)), { timeout: 20_000 }).toEqual([])
  return [...items, ...[...running].map((id) => ended.get(id))]
}
