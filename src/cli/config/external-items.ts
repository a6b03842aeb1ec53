// What codex takes over from Claude Code and Cursor by itself: skills, AGENTS.md, sub-agents, commands, sessions. Its own
// import of MCP servers and settings is not used: it rewrites config.toml without its comments.
import type { Codex, protocol } from '../../codex/index.ts'

type Item = protocol.v2.ExternalAgentConfigMigrationItem

export const ITEM_TYPES = {
  skills: 'SKILLS',
  'agents-md': 'AGENTS_MD',
  subagents: 'SUBAGENTS',
  commands: 'COMMANDS',
  sessions: 'SESSIONS',
} as const satisfies Record<string, Item['itemType']>

export type ItemName = keyof typeof ITEM_TYPES

const DETECT_MS = 20_000
const IMPORT_MS = 120_000
/** How codex names the application; its default is Claude Code. */
const MIGRATION_SOURCES: Readonly<Record<string, string | null>> = { 'claude-code': null, cursor: 'cursor' }

export interface FoundItems {
  readonly migrationSource: string | null
  readonly items: readonly Item[]
}

export async function detectItems(
  codex: Codex,
  {
    names,
    from,
    project,
    signal,
  }: { names: readonly ItemName[]; from: ReadonlySet<string>; project: string | null; signal: AbortSignal },
): Promise<FoundItems[]> {
  const wanted = new Set<string>(names.map((name) => ITEM_TYPES[name]))
  const sources = Object.entries(MIGRATION_SOURCES).filter(([application]) => from.has(application))
  return Promise.all(
    sources.map(async ([, migrationSource]) => {
      const params = { includeHome: true, cwds: project === null ? [] : [project], migrationSource }
      const { items } = await codex.request('externalAgentConfig/detect', params, {
        timeoutMs: DETECT_MS,
        signal,
      })
      return { migrationSource, items: items.filter(({ itemType }) => wanted.has(itemType)) }
    }),
  )
}

type Completed = protocol.v2.ExternalAgentConfigImportCompletedNotification

/** One line for each thing that was taken over, or was not. */
export async function importItems(
  codex: Codex,
  { migrationSource, items }: FoundItems,
  {
    completed,
    signal,
  }: { completed: (importId: string, signal: AbortSignal) => Promise<Completed>; signal: AbortSignal },
): Promise<string[]> {
  if (items.length === 0) return []
  const params = { migrationItems: [...items], migrationSource, source: 'drawbridge' }
  const { importId } = await codex.request('externalAgentConfig/import', params, {
    timeoutMs: DETECT_MS,
    signal,
  })
  const { itemTypeResults } = await completed(
    importId,
    AbortSignal.any([signal, AbortSignal.timeout(IMPORT_MS)]),
  )
  return itemTypeResults.flatMap(({ itemType, successes, failures }) => [
    ...successes.map(({ source, target }) => `${itemType}: ${target ?? source} taken over`),
    ...failures.map(({ source, message }) => `${itemType}: ${source ?? ''} failed: ${message}`),
  ])
}
