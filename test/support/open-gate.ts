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
  { answer, client = {}, home, thread: threadOptions, codexPath = bundledCodex() }: Options = {},
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
    const items = await completedItems(turn)
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

async function completedItems(turn: Turn): Promise<unknown[]> {
  const items: unknown[] = []
  for await (const { method, params } of turn)
    if (method === 'item/completed' && !/Message$/.test(params.item.type)) items.push(params.item)
  return items
}
