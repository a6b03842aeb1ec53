// A task's log as people read it: codex's notifications as `run` shows them, ours each on a line.
import type { EventEnvelope, Task } from '../../api/index.ts'
import type { CodexNotification } from '../../codex/index.ts'
import type { OwnEvents } from '../../tasks/index.ts'
import { commandText } from '../../util/command-text.ts'
import type { TerminalView } from '../run/index.ts'
import { inLocalTime, type Terminal, visibleLine } from '../screen/index.ts'
import { approvalLine } from './approval-line.ts'
import { hasEnded } from './task-exit.ts'

type OwnEvent = { [M in keyof OwnEvents]: { method: M; params: OwnEvents[M] } }[keyof OwnEvents]

const MAX_LENGTH = 300

export class EventView {
  readonly #terminal: Terminal
  readonly #view: TerminalView
  readonly #hasResult: boolean
  #threadId: string | null

  /** With `hasResult` somebody else tells how the task ended. */
  constructor(
    terminal: Terminal,
    view: TerminalView,
    { threadId, hasResult = false }: { threadId: string | null; hasResult?: boolean },
  ) {
    this.#terminal = terminal
    this.#view = view
    this.#threadId = threadId
    this.#hasResult = hasResult
  }

  event({ event }: EventEnvelope): void {
    if (event.method.startsWith('drawbridge/')) this.#own(event as OwnEvent)
    else this.#codex({ ...event, raw: '' } as CodexNotification)
  }

  /** What a sub-agent does is told in a line; only the task's own thread gives its answer. */
  #codex(notification: CodexNotification): void {
    const { threadId } = Object(notification.params) as { threadId?: string }
    this.#threadId ??= threadId ?? null
    if (threadId === undefined || threadId === this.#threadId) return this.#view.notification(notification)
    if (notification.method !== 'item/completed') return
    const { item } = notification.params
    if (item.type === 'agentMessage') this.#line(`  ⤷ ${item.text}`, 'dim')
    if (item.type === 'commandExecution')
      this.#line(`  ⤷ $ ${commandText(item.command)} · ${item.exitCode ?? item.status}`, 'dim')
  }

  #own({ method, params }: OwnEvent): void {
    switch (method) {
      case 'drawbridge/task':
        if (this.#hasResult && hasEnded(params as Task)) return
        return this.#line(`● ${params.status}: ${inLocalTime(params.reason, Date.now())}`, 'dim')
      case 'drawbridge/message':
        return this.#message(params)
      case 'drawbridge/approval':
        return this.#approval(params)
      case 'drawbridge/changed':
        return this.#line(`✎ ${Object.keys(params.fields).join(', ')} changed by ${params.actor}`, 'dim')
      case 'drawbridge/upload':
        return this.#upload(params)
      case 'drawbridge/account':
        return this.#line(`⇄ ${params.why}`, 'dim')
      case 'drawbridge/hook':
        return this.#hook(params)
      case 'drawbridge/hook-output':
        for (const line of params.text.split('\n')) if (line.trim() !== '') this.#line(`  ⚙ ${line}`, 'dim')
        return
      case 'drawbridge/deliverable':
        return this.#deliverable(params)
      case 'drawbridge/progress':
        return this.#line(`▰ ${params.percent === null ? '' : `${params.percent}% `}${params.text}`, 'dim')
      case 'drawbridge/attention':
        if (params.reason === null) return this.#line(`✓ seen by ${params.actor}`, 'dim')
        return this.#line(`! ${params.reason}`, 'yellow')
      case 'drawbridge/link':
        return this.#terminal.line(visibleLine(`→ ${params.url}`), 'bold')
      case 'drawbridge/caller-message':
        return this.#callerMessage(params)
      case 'drawbridge/incident':
        return this.#line(`! ${params.message}`, 'yellow')
      case 'drawbridge/oversize':
        return this.#line(`! ${params.method} of ${params.bytes} bytes is not shown`, 'yellow')
      default:
        return
    }
  }

  #upload({ files, isTakenBack, actor }: OwnEvents['drawbridge/upload']): void {
    const names = files.map(({ name }) => name).join(', ')
    this.#line(
      `${isTakenBack ? '-' : '+'} ${names} ${isTakenBack ? 'taken back' : 'uploaded'} by ${actor}`,
      'dim',
    )
  }

  #message({ mode, status, text, actor, why }: OwnEvents['drawbridge/message']): void {
    const sign = mode === 'steer' ? '»' : '>'
    if (status === 'delivered') this.#line(`${sign} ${text} · ${actor}`, 'bold')
    if (status === 'failed') this.#line(`${sign} not delivered: ${why ?? 'it was given up'}`, 'red')
    if (status === 'cancelled') this.#line(`${sign} ${text} · ${why ?? 'taken back'}`, 'dim')
  }

  #hook({ hook, title, status, problem, durationMs }: OwnEvents['drawbridge/hook']): void {
    if (status === 'started') return this.#line(`⚙ hook ${hook}: ${title}`, 'dim')
    const took = durationMs === null ? '' : ` · ${(durationMs / 1_000).toFixed(1)} s`
    const why = problem === null ? '' : `: ${problem}`
    this.#line(`⚙ hook ${hook} ${status}${why}${took}`, status === 'done' ? 'dim' : 'yellow')
  }

  #deliverable({ number, status, title, path, words, actor }: OwnEvents['drawbridge/deliverable']): void {
    if (status === 'pending') return this.#line(`⇪ ${title} (${path}) handed over, number ${number}`, 'bold')
    const what = status === 'accepted' ? 'accepted' : 'sent back'
    this.#line(`⇪ ${title} was ${what} by ${actor}${words === null ? '' : `: ${words}`}`, 'dim')
  }

  #callerMessage({ name, status, data, answer }: OwnEvents['drawbridge/caller-message']): void {
    const [sign, value] = status === 'sent' ? ['⇢', data] : ['⇠', answer]
    this.#line(`${sign} ${name} ${JSON.stringify(value)}`, 'dim')
  }

  #approval(event: OwnEvents['drawbridge/approval']): void {
    const { text, style } = approvalLine(event)
    this.#line(text, style)
  }

  #line(text: string, style: 'dim' | 'bold' | 'yellow' | 'red' | 'green'): void {
    const shown = visibleLine(text)
    this.#terminal.line(shown.length > MAX_LENGTH ? `${shown.slice(0, MAX_LENGTH)}…` : shown, style)
  }
}
