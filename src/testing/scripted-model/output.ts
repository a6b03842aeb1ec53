// What a scripted model says: the items of one reply, as plain data. Ids left out are made when the reply is sent,
// so one reply can be used many times.

export interface MessagePart {
  readonly part: 'message'
  /** One text delta each. */
  readonly deltas: readonly string[]
  /** Waited before each delta. */
  readonly delayMs: number
}

export interface ReasoningPart {
  readonly part: 'reasoning'
  readonly deltas: readonly string[]
  readonly delayMs: number
}

export interface FunctionCallPart {
  readonly part: 'functionCall'
  readonly name: string
  readonly namespace?: string
  /** A string is sent as it is, so that broken JSON can be sent too. */
  readonly arguments: unknown
  readonly callId?: string
}

export interface CustomToolCallPart {
  readonly part: 'customToolCall'
  readonly name: string
  readonly namespace?: string
  readonly input: string
  readonly callId?: string
}

export interface UsagePart {
  readonly part: 'usage'
  readonly input: number
  readonly cached: number
  readonly output: number
  readonly reasoning: number
}

export interface Pacing {
  /** Characters per delta; the whole text in one delta when absent. */
  readonly chunkSize?: number
  /** Says the text this many times over: `message('tick ', { count: 20_000 })` is 20 000 deltas. */
  readonly count?: number
  /** Waited before each delta. */
  readonly delayMs?: number
}

export interface CallIdentity {
  readonly callId?: string
  readonly namespace?: string
}

export interface ShellOptions {
  readonly callId?: string
  /** Asks to run outside the sandbox, for this reason: codex then asks for approval under `on-request`. */
  readonly escalate?: string
  /** Further arguments of `exec_command`, such as `workdir`, `tty` or `yield_time_ms`. */
  readonly arguments?: Readonly<Record<string, unknown>>
}

/** An assistant message. An array is streamed as exactly these deltas. */
export function message(text: string | readonly string[], pacing: Pacing = {}): MessagePart {
  return { part: 'message', deltas: toDeltas(text, pacing), delayMs: pacing.delayMs ?? 0 }
}

/** A reasoning item with this summary. */
export function reasoning(text: string | readonly string[], pacing: Pacing = {}): ReasoningPart {
  return { part: 'reasoning', deltas: toDeltas(text, pacing), delayMs: pacing.delayMs ?? 0 }
}

export function functionCall(name: string, args: unknown, identity: CallIdentity = {}): FunctionCallPart {
  return { part: 'functionCall', name, arguments: args, ...identity }
}

export function customToolCall(name: string, input: string, identity: CallIdentity = {}): CustomToolCallPart {
  return { part: 'customToolCall', name, input, ...identity }
}

/** Runs a command line, as the models without code mode do. */
export function shell(cmd: string, options: ShellOptions = {}): FunctionCallPart {
  const escalation =
    options.escalate === undefined
      ? {}
      : { sandbox_permissions: 'require_escalated', justification: options.escalate }
  const identity = options.callId === undefined ? {} : { callId: options.callId }
  return functionCall('exec_command', { cmd, ...escalation, ...options.arguments }, identity)
}

/** Applies a patch (`*** Begin Patch …`) through the shell: unlike the `apply_patch` tool, every model has that. */
export function applyPatch(patch: string, options: ShellOptions = {}): FunctionCallPart {
  return shell(`apply_patch <<'EOF'\n${patch.trim()}\nEOF\n`, options)
}

/** The tokens this reply says it cost. Without it a reply reports 10 in, 5 out. */
export function usage(tokens: {
  input: number
  cached?: number
  output: number
  reasoning?: number
}): UsagePart {
  return { part: 'usage', cached: 0, reasoning: 0, ...tokens }
}

function toDeltas(text: string | readonly string[], { chunkSize, count = 1 }: Pacing): readonly string[] {
  const once = typeof text === 'string' ? cut(text, chunkSize ?? text.length) : text
  return count === 1 ? once : Array.from({ length: count }, () => once).flat()
}

/** By whole characters: codex drops a delta that holds half of a surrogate pair. */
function cut(text: string, size: number): string[] {
  const characters = [...text]
  const pieces: string[] = []
  for (let start = 0; start < characters.length; start += size)
    pieces.push(characters.slice(start, start + size).join(''))
  return pieces
}
