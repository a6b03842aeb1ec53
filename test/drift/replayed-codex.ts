// An app-server in memory: it shakes hands, opens one thread and one turn, and says what it is fed.
import {
  type Channel,
  type ChannelReader,
  type Codex,
  type Incident,
  openCodex,
} from '../../src/codex/index.ts'
import type { Recording } from './record-turn.ts'

interface Message {
  readonly id?: unknown
  readonly method?: string
  readonly result?: unknown
  readonly error?: unknown
}

class MemoryChannel implements Channel {
  /** What the client sent, parsed. */
  readonly sent: Message[] = []
  readonly #replies: Readonly<Record<string, unknown>>
  #reader: ChannelReader | null = null

  constructor(replies: Readonly<Record<string, unknown>>) {
    this.#replies = replies
  }

  read(reader: ChannelReader): void {
    this.#reader = reader
  }

  send(line: string): void {
    const message = JSON.parse(line) as Message
    this.sent.push(message)
    if (message.method === undefined || !Object.hasOwn(this.#replies, message.method)) return
    this.feed(JSON.stringify({ id: message.id, result: this.#replies[message.method] }))
  }

  feed(line: string): void {
    this.#reader?.line(line)
  }

  close(reason: Parameters<ChannelReader['closed']>[0]): void {
    const reader = this.#reader
    this.#reader = null
    reader?.closed(reason)
  }
}

export interface ReplayedCodex {
  readonly codex: Codex
  readonly incidents: readonly Incident[]
  readonly sent: readonly Message[]
  feed(line: string): void
}

/** A client whose codex answers what opening a turn takes, with the recording's ids; `replies` overrides them. */
export async function openReplayedCodex(
  { version, threadId, turnId }: Recording,
  replies: Readonly<Record<string, unknown>> = {},
): Promise<ReplayedCodex> {
  const channel = new MemoryChannel({
    initialize: {
      userAgent: `drawbridge/${version} (memory)`,
      codexHome: '/',
      platformFamily: '',
      platformOs: '',
    },
    'thread/start': { thread: { id: threadId } },
    'turn/start': { turn: { id: turnId } },
    ...replies,
  })
  const incidents: Incident[] = []
  const appServer = {
    channel,
    codexVersion: version,
    pid: null,
    stderrTail: () => [],
    close: () => Promise.resolve(),
  }
  const codex = await openCodex(
    { name: 'memory', open: () => Promise.resolve(appServer) },
    { onIncident: (incident) => incidents.push(incident) },
  )
  return { codex, incidents, sent: channel.sent, feed: (line) => channel.feed(line) }
}
