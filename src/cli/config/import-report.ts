// What an import did or would do, for programs. The first fields are those that Hermes' own importer reports.
import type { TranslatedRules, Translation } from '../../config/index.ts'
import { count } from '../screen/index.ts'
import { fileProblems, type ImportView } from './import-lines.ts'
import type { ServerStart } from './start-check.ts'

export interface ImportEnd {
  readonly isWritten: boolean
  readonly isDryRun: boolean
  /** Whether a file was changed: standing rules and what codex took over itself cannot be taken back. */
  readonly canUndo: boolean
  readonly pluginError: string | null
  readonly errors: readonly string[]
  readonly starts: readonly ServerStart[]
  readonly itemResults: readonly string[]
  readonly reloaded: number
}

export function importReport(view: ImportView, end: ImportEnd) {
  const { plan, applied, file, sources, rules } = view
  const problems = fileProblems(view)
  const refused = plan.refused.map(({ server, problem }) => `${server.name}: ${problem}`)
  return {
    targetPath: file,
    migrated: plan.imported.map(({ name }) => name),
    preservedUserServers: plan.preserved.map(({ name }) => name),
    skippedKeysPerServer: skippedKeys(plan.all),
    migratedPlugins: [...applied.contents.plugins.keys()],
    pluginQueryError: end.pluginError,
    wrotePermissionsDefault: applied.contents.permissions,
    errors: [
      ...end.errors,
      ...problems.map(({ file: source, message }) => `${source} ${message}`),
      ...refused,
    ],
    written: end.isWritten,
    dryRun: end.isDryRun,
    summary: summary(view, end),
    servers: plan.all.map(serverView),
    doubled: plan.doubled.map(({ translation, first }) => ({
      name: translation.name,
      from: translation.server.origin,
      first,
    })),
    sources: sources.map(({ application, level, file: source, servers }) => ({
      application,
      level,
      file: source,
      servers: servers.length,
    })),
    problems,
    rules: rules && rulesView(rules),
    items: view.items,
    itemResults: end.itemResults,
    starts: end.starts,
    reloaded: end.reloaded,
    diff: view.diff.map(({ sign, text }) => `${sign}${text}`),
  }
}

function summary({ plan }: ImportView, { isWritten, isDryRun }: ImportEnd): string {
  const imported = count(plan.imported.length, 'server')
  const done = isWritten
    ? `${imported} imported`
    : isDryRun
      ? `${imported} would be imported`
      : 'nothing written'
  const kept = plan.preserved.length > 0 ? `, ${plan.preserved.length} of your own kept` : ''
  const refused = plan.refused.length > 0 ? `, ${plan.refused.length} not imported` : ''
  return `${done}${kept}${refused}`
}

/** Keys of a server that codex was not told, by server. */
function skippedKeys(all: readonly Translation[]): Record<string, string[]> {
  return Object.fromEntries(
    all
      .filter(({ leftOut }) => leftOut.length > 0)
      .map(({ server, leftOut }) => [server.name, leftOut.map(({ key, why }) => `${key}: ${why}`)]),
  )
}

/** Never a value: names of variables and headers are enough. */
function serverView({ name, server, table, problem, notes, leftOut, asks, needs }: Translation) {
  return {
    name,
    sourceName: server.name,
    from: server.origin,
    isImported: table !== null,
    problem,
    transport: server.transport,
    isEnabled: server.isEnabled,
    notes,
    leftOut,
    asks,
    needs,
  }
}

function rulesView({ lines, leftOut }: TranslatedRules) {
  return {
    imported: lines,
    leftOut: leftOut.map(({ rule, why }) => ({ answer: rule.answer, text: rule.text, file: rule.file, why })),
  }
}
