// What a fake app-server does, as plain data. Strings may hold `$id`, `$threadId`, `$turnId`, `$text` and `$answer`;
// the program fills them from the request being served.

export interface FakeScript {
  /** What `--version` and the handshake say. */
  readonly version?: string
  /** Done before anything is read. */
  readonly onStart?: readonly Action[]
  /** The first step for a method that has uses left serves it; without one the default does. */
  readonly steps?: readonly Step[]
  /** SIGTERM and the end of stdin do not end it: only SIGKILL does. */
  readonly ignoreTerm?: boolean
}

export interface Step {
  readonly on: string
  /** How often the step is used; always when absent. */
  readonly times?: number
  /** In order. A waiting step does not hold up other messages. */
  readonly do: readonly Action[]
}

export type Action =
  | { readonly do: 'default' }
  | { readonly do: 'send'; readonly message: FakeMessage }
  | { readonly do: 'raw'; readonly base64: string }
  | { readonly do: 'oversize'; readonly bytes: number }
  | { readonly do: 'stderr'; readonly text: string }
  | { readonly do: 'closeStdout' }
  | { readonly do: 'delay'; readonly ms: number }
  | { readonly do: 'waitForAnswer'; readonly id: RequestId }
  | { readonly do: 'spawnChild'; readonly holdStdout: boolean }
  | { readonly do: 'exit'; readonly code: number }
  | { readonly do: 'crash' }

export type RequestId = number | string
export type Actions = Action | readonly Action[]

export interface FakeMessage {
  readonly id?: RequestId
  readonly method?: string
  readonly params?: unknown
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** Serves every call of the method with these actions and nothing else: put `reply()` among them for an answer. */
export function on(method: string, ...actions: Actions[]): Step {
  return { on: method, do: actions.flat() }
}

/** As `on`, for the next call only; what stands after it serves the later ones. */
export function once(method: string, ...actions: Actions[]): Step {
  return { on: method, times: 1, do: actions.flat() }
}

/** Refuses the method this many times as codex does when its queue is full. */
export function overloaded(method: string, times: number): Step {
  return { on: method, times, do: [error(-32001, 'Server overloaded; retry later.')] }
}

/** Does what the fake does for this method when nothing is scripted. */
export function asUsual(): Action {
  return { do: 'default' }
}

/** Answers the request; without a result with the default one for its method. */
export function reply(result: unknown = '$result'): Action {
  return { do: 'send', message: { id: '$id', result } }
}

export function error(code: number, message: string, data?: unknown): Action {
  return { do: 'send', message: { id: '$id', error: { code, message, data } } }
}

/** Says out loud that this request stays without an answer. */
export function noReply(): readonly Action[] {
  return []
}

export function duplicateReply(result?: unknown): readonly Action[] {
  return [reply(result), reply(result)]
}

export function lateReply(afterMs: number, result?: unknown): readonly Action[] {
  return [delay(afterMs), reply(result)]
}

/** Answers a request nobody made. */
export function unknownReply(id: RequestId, result: unknown = {}): Action {
  return { do: 'send', message: { id, result } }
}

export function notify(method: string, params: unknown): Action {
  return { do: 'send', message: { method, params } }
}

/** Asks the client something. Its answer is in `received()`; `waitForAnswer` waits for it. */
export function request(method: string, params: unknown, id: RequestId): Action {
  return { do: 'send', message: { id, method, params } }
}

/** Goes on when the client has answered this request; from then on `$answer` is what it said. */
export function waitForAnswer(id: RequestId): Action {
  return { do: 'waitForAnswer', id }
}

/** Bytes as they are, with no newline added: half a line, no JSON, broken UTF-8. */
export function raw(bytes: string | Uint8Array): Action {
  return { do: 'raw', base64: Buffer.from(bytes).toString('base64') }
}

/** A notification whose line is this many bytes long, its newline not counted. */
export function oversize(bytes: number): Action {
  return { do: 'oversize', bytes }
}

export function stderr(text: string): Action {
  return { do: 'stderr', text }
}

/** Says nothing more, but lives on. */
export function closeStdout(): Action {
  return { do: 'closeStdout' }
}

export function delay(ms: number): Action {
  return { do: 'delay', ms }
}

/** Starts a process in its own group that outlives the fake, until the fake is removed or a minute is over. */
export function spawnChild(options: { readonly holdStdout?: boolean } = {}): Action {
  return { do: 'spawnChild', holdStdout: options.holdStdout ?? false }
}

export function exit(code = 0): Action {
  return { do: 'exit', code }
}

/** Dies by SIGKILL. */
export function crash(): Action {
  return { do: 'crash' }
}
