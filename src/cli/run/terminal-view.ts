import path from 'node:path'
import {
  type CodexNotification,
  type Decision,
  type Incident,
  type protocol,
  redact,
  type Thread,
} from '../../codex/index.ts'
import { commandText } from '../../util/command-text.ts'
import { spokenText } from '../../util/spoken-text.ts'
import { errorText } from '../process/index.ts'
import { decisionText, isDenied } from '../prompts/index.ts'
import type { Line, Terminal } from '../screen/index.ts'
import { describeRequest } from './describe-request.ts'
import { PlanLines } from './plan-lines.ts'
import type { RunResult, RunView } from './run-result.ts'

type Item = protocol.v2.ThreadItem
type ItemOf<T extends Item['type']> = Extract<Item, { type: T }>

const OUTPUT_LINES_SHOWN = 8
const TICK_MS = 120
const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']

/** A run as people read it: the answer streams to stdout, what Codex does goes to stderr. */
export class TerminalView implements RunView {
  readonly #terminal: Terminal
  readonly #isKept: boolean
  readonly #plan = new PlanLines()
  readonly #startedAt = Date.now()
  readonly #ticker: NodeJS.Timeout | null
  #doing = 'starting'
  #threadId: string | null = null
  #cwd: string
  #frame = 0
  /** How much of each message has been shown while it was streamed. */
  readonly #streamed = new Map<string, string>()

  /** `isKept`: the thread is there afterwards, to be continued. `cwd`: where codex works, if that is known already. */
  constructor(terminal: Terminal, { isKept = true, cwd = '' }: { isKept?: boolean; cwd?: string } = {}) {
    this.#terminal = terminal
    this.#isKept = isKept
    this.#cwd = cwd
    this.#ticker = terminal.hasStatusLine ? setInterval(() => this.#tick(), TICK_MS).unref() : null
  }

  opened({ id, settings, sandbox }: Thread): void {
    const { model, cwd } = settings
    this.#threadId = id
    this.#cwd = cwd
    const thread = this.#isKept ? [`thread ${id}`] : []
    this.#terminal.line([model, sandbox?.type ?? 'unknown sandbox', cwd, ...thread].join(' · '), 'dim')
    this.#doing = 'thinking'
  }

  notification(notification: CodexNotification): void {
    const { threadId } = Object(notification.params) as { threadId?: string }
    const isForeign = this.#threadId !== null && threadId !== undefined && threadId !== this.#threadId
    if (isForeign) return this.#subAgent(notification)
    switch (notification.method) {
      case 'item/agentMessage/delta':
        return this.#delta(notification.params)
      case 'item/started':
        return this.#itemStarted(notification.params.item)
      case 'item/completed':
        return this.#itemCompleted(notification.params.item)
      case 'turn/plan/updated':
        for (const line of this.#plan.of(notification.params.plan)) this.#terminal.line(line, 'blue')
        return
      case 'error':
        return this.#error(notification.params)
      case 'warning':
        return this.#terminal.line(`! ${notification.params.message}`, 'yellow')
      default:
        return
    }
  }

  decision(decision: Decision): void {
    this.#terminal.line(decisionText(decision), isDenied(decision.answer) ? 'yellow' : 'green')
  }

  incident(incident: Incident): void {
    if (incident.type === 'oversize-line')
      this.#terminal.line(`! codex sent a message of ${incident.bytes} bytes, which was skipped`, 'yellow')
    if (incident.type === 'answer-unsent')
      this.#terminal.line(`! the answer could not be sent: ${errorText(incident.error)}`, 'red')
    if (incident.type !== 'request-refused' && incident.type !== 'question-withdrawn') return
    const what = redact(describeRequest(incident.method, incident.params))
    if (incident.type === 'request-refused') this.#terminal.line(`✋ declined: ${what}`, 'yellow')
    else this.#terminal.line(`↩ withdrawn: ${what}: ${errorText(incident.reason)}`, 'dim')
  }

  result(result: RunResult): void {
    const { status, error, turnId } = result
    // Nothing ran: one line says why, as for every other command.
    if (error && turnId === null) return this.#refused(error.message)
    this.end(
      [
        ...(status === 'interrupted' ? [{ text: status, style: 'yellow' as const }] : []),
        ...(error ? [{ text: `${status}: ${error.message} [${error.code}]`, style: 'red' as const }] : []),
      ],
      result,
    )
  }

  /** Last of all: what came of it, how long it took and what it used. */
  end(lines: readonly Line[], result: Pick<RunResult, 'usage' | 'threadId'>): void {
    this.#endStatus()
    for (const { text, style } of lines) this.#terminal.line(text, style)
    this.#terminal.line(this.#summary(result), 'dim')
  }

  #refused(why: string): void {
    this.#endStatus()
    this.#terminal.line(`drawbridge: ${why}`, 'red')
  }

  #endStatus(): void {
    if (this.#ticker) clearInterval(this.#ticker)
    this.#terminal.clearStatus()
    this.#terminal.endLine()
  }

  /** What a sub-agent does is activity; only our own thread's messages are the answer. */
  #subAgent(notification: CodexNotification): void {
    if (notification.method !== 'item/completed') return
    const { item } = notification.params
    if (item.type === 'agentMessage') this.#terminal.line(`  ⤷ ${item.text.split('\n', 1)[0]}`, 'dim')
    else if (item.type === 'commandExecution')
      this.#terminal.line(`  ⤷ $ ${commandText(item.command)} · ${item.exitCode ?? item.status}`, 'dim')
  }

  #summary({ usage, threadId }: Pick<RunResult, 'usage' | 'threadId'>): string {
    const tokens = usage && this.#isKept ? `${usage.inputTokens} tokens in, ${usage.outputTokens} out` : null
    const again = threadId && this.#isKept ? `continue with --resume ${threadId}` : null
    return [seconds(Date.now() - this.#startedAt), tokens, again].filter((part) => part !== null).join(' · ')
  }

  #itemStarted(item: Item): void {
    if (item.type === 'commandExecution') {
      this.#doing = 'running a command'
      this.#terminal.line(`$ ${commandText(item.command)}`, 'cyan')
    } else if (item.type === 'mcpToolCall') {
      this.#doing = `calling ${item.server}.${item.tool}`
      this.#terminal.line(`→ ${item.server}.${item.tool} ${JSON.stringify(item.arguments)}`, 'cyan')
    } else if (item.type === 'reasoning') this.#doing = 'thinking'
    else if (item.type === 'agentMessage') this.#doing = 'answering'
  }

  #itemCompleted(item: Item): void {
    this.#doing = 'thinking'
    if (item.type === 'agentMessage') this.#message(item)
    else if (item.type === 'commandExecution') this.#command(item)
    else if (item.type === 'fileChange') this.#fileChange(item)
    else if (item.type === 'mcpToolCall') this.#terminal.line(`  ${item.status}`, 'dim')
    else if (item.type === 'webSearch') this.#terminal.line(`⌕ ${item.query}`, 'cyan')
  }

  #delta({ itemId, delta }: protocol.v2.AgentMessageDeltaNotification): void {
    this.#streamed.set(itemId, (this.#streamed.get(itemId) ?? '') + delta)
    this.#terminal.text(delta)
  }

  #message(item: ItemOf<'agentMessage'>): void {
    // Deltas may be missing: what was sent while nobody listened, or faster than it was read.
    const streamed = this.#streamed.get(item.id) ?? ''
    const isWhole = item.text.startsWith(streamed)
    if (!isWhole) this.#terminal.endLine()
    this.#terminal.text(isWhole ? item.text.slice(streamed.length) : item.text)
    this.#streamed.delete(item.id)
    this.#terminal.endLine()
  }

  #command(item: ItemOf<'commandExecution'>): void {
    const lines = (item.aggregatedOutput ?? '').trimEnd().split('\n')
    if (lines.length > OUTPUT_LINES_SHOWN)
      this.#terminal.line(`  … ${lines.length - OUTPUT_LINES_SHOWN} lines`, 'dim')
    for (const line of lines.slice(-OUTPUT_LINES_SHOWN))
      if (line !== '') this.#terminal.line(`  ${line}`, 'dim')
    const took = item.durationMs === null ? '' : ` in ${seconds(item.durationMs)}`
    if (item.exitCode === null) this.#terminal.line(`  ${item.status}`, 'yellow')
    else this.#terminal.line(`  exit ${item.exitCode}${took}`, item.exitCode === 0 ? 'green' : 'red')
  }

  #fileChange(item: ItemOf<'fileChange'>): void {
    for (const { path: file, kind, diff } of item.changes) {
      const counted = kind.type === 'add' ? `+${lineCount(diff)}` : changedLines(diff)
      this.#terminal.line(
        `± ${kind.type} ${this.#placed(file)} ${counted}`,
        item.status === 'completed' ? 'magenta' : 'yellow',
      )
    }
    if (item.status !== 'completed') this.#terminal.line(`  ${item.status}`, 'yellow')
  }

  /** As seen from where codex works; what is elsewhere stands out. */
  #placed(file: string): string {
    const within = path.relative(this.#cwd, file)
    return this.#cwd === '' || within.startsWith('..') || path.isAbsolute(within) ? file : within
  }

  #error({ error, willRetry }: protocol.v2.ErrorNotification): void {
    // The final error comes again with the result; what codex retries by itself is progress.
    if (willRetry) this.#terminal.line(`… ${spokenText(error.message)}`, 'yellow')
  }

  #tick(): void {
    this.#frame = (this.#frame + 1) % SPINNER.length
    this.#terminal.status(`${SPINNER[this.#frame]} ${this.#doing} · ${seconds(Date.now() - this.#startedAt)}`)
  }
}

function seconds(ms: number): string {
  return ms < 10_000 ? `${(ms / 1_000).toFixed(1)} s` : `${Math.round(ms / 1_000)} s`
}

function lineCount(text: string): number {
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
}

function changedLines(diff: string): string {
  const lines = diff.split('\n')
  const added = lines.filter((line) => line.startsWith('+') && !line.startsWith('+++')).length
  const removed = lines.filter((line) => line.startsWith('-') && !line.startsWith('---')).length
  return `+${added} −${removed}`
}
