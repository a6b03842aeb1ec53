// The fake's memory of its threads, so that what it says of them fits together.
import { randomUUID } from 'node:crypto'
import type { protocol } from '../../codex/index.ts'
import type { FakeMessage } from './script.ts'
import { fakeTurn } from './turn-actions.ts'

type Thread = protocol.v2.Thread

export class FakeThreads {
  readonly #threads = new Map<string, Thread>()
  readonly #version: string

  constructor(version: string) {
    this.#version = version
  }

  /** A thread with this id, made when it is not known: another process may have started it. */
  thread(id: string = randomUUID(), cwd: string = process.cwd()): Thread {
    const known = this.#threads.get(id)
    if (known) return known
    const made = fakeThread({ id, cwd, version: this.#version })
    this.#threads.set(id, made)
    return made
  }

  beginTurn(threadId: string): string {
    const turn = fakeTurn(randomUUID())
    this.thread(threadId).turns.push(turn)
    return turn.id
  }

  lastTurnId(threadId: string): string | undefined {
    return this.thread(threadId).turns.at(-1)?.id
  }

  /** Keeps the memory true to what was told to the client. */
  told({ method, params }: FakeMessage): void {
    if (method !== 'turn/completed') return
    const { threadId, turn } = Object(params) as { threadId?: string; turn?: protocol.v2.Turn }
    if (!threadId || !turn) return // a script may leave out what it likes
    const { turns } = this.thread(threadId)
    const index = turns.findIndex(({ id }) => id === turn.id)
    if (index !== -1) turns[index] = turn
  }
}

function fakeThread({ id, cwd, version }: { id: string; cwd: string; version: string }): Thread {
  return {
    id,
    environments: null,
    extra: null,
    sessionId: id,
    forkedFromId: null,
    parentThreadId: null,
    preview: '',
    ephemeral: false,
    section: null,
    sectionEnteredAt: null,
    projectId: null,
    historyMode: 'paginated',
    modelProvider: 'fake',
    model: 'fake',
    reasoningEffort: null,
    createdAt: 0,
    updatedAt: 0,
    recencyAt: 0,
    status: { type: 'idle' },
    path: null,
    cwd,
    cliVersion: version,
    originator: 'drawbridge_fake',
    source: 'vscode',
    canAcceptDirectInput: true,
    threadSource: null,
    agentNickname: null,
    agentRole: null,
    gitInfo: null,
    name: null,
    daybreakEnabled: null,
    turns: [],
  }
}
