// Which servers really start: a codex of our own starts each, asks for its tools, and ends it.
import type { Codex } from '../../codex/index.ts'

export interface ServerStart {
  readonly name: string
  readonly isStarted: boolean
  readonly tools: number
  /** Why not; null when it has started. */
  readonly problem: string | null
}

const START_MS = 40_000

/** One answer for each, in time, whatever the servers do. */
export async function checkStarts(
  codex: Codex,
  names: readonly string[],
  { signal }: { signal: AbortSignal },
): Promise<ServerStart[]> {
  return Promise.all(names.map((name) => checkStart(codex, name, signal)))
}

async function checkStart(codex: Codex, name: string, signal: AbortSignal): Promise<ServerStart> {
  const failed = (problem: string): ServerStart => ({ name, isStarted: false, tools: 0, problem })
  try {
    const params = { serverName: name, detail: 'toolsAndAuthOnly' as const }
    const { data } = await codex.request('mcpServerStatus/list', params, { timeoutMs: START_MS, signal })
    const found = data.find((each) => each.name === name)
    if (!found) return failed('Codex does not know it')
    if (found.authStatus === 'notLoggedIn') return failed(`log in with \`codex mcp login ${name}\``)
    const { toolsError } = found
    if (toolsError) return failed(firstSentence(toolsError))
    return { name, isStarted: true, tools: Object.keys(found.tools).length, problem: null }
  } catch (error) {
    signal.throwIfAborted()
    return failed(error instanceof Error ? firstSentence(error.message) : 'it did not answer')
  }
}

/** Codex tells the types of its own code along with it. */
function firstSentence(text: string): string {
  return text
    .replace(/\[[\w:<>, ]{40,}\] ?/g, '')
    .split('\n', 1)[0]!
    .slice(0, 300)
}
