// What an import would do, for people: server by server, what would be started, and the change of the file.
import type {
  DiffLine,
  FoundRules,
  FoundSource,
  PreparedImport,
  TranslatedRules,
  Translation,
} from '../../config/index.ts'
import { type Cell, count, visibleLine } from '../screen/index.ts'

export interface ImportView extends PreparedImport {
  readonly file: string
  readonly sources: readonly FoundSource[]
  readonly diff: readonly DiffLine[]
  readonly rules: TranslatedRules | null
  readonly ruleProblems: FoundRules['problems']
  /** What codex itself would take over, in its words. */
  readonly items: readonly string[]
  /** Hides the secrets of all sources. */
  readonly hide: (text: string) => string
}

type Line = string | Cell

export function importLines(view: ImportView): Line[] {
  const lines = [
    ...problemLines(view),
    ...view.plan.imported.flatMap(importedLines),
    ...view.plan.preserved.map(({ name }) => dim(`= ${name}: config.toml has its own, which stays`)),
    ...view.plan.doubled.map(({ translation, first }) =>
      dim(`= ${translation.name} of ${translation.server.origin.label}: the one of ${first.label} is taken`),
    ),
    ...view.plan.refused.flatMap(refusedLines),
    ...ruleLines(view.rules),
    ...view.items.map((item) => `+ ${item}`),
    ...diffLines(view),
  ]
  return lines.map((line) => hidden(line, view.hide))
}

function hidden(line: Line, hide: (text: string) => string): Line {
  const safe = (text: string) => visibleLine(hide(text))
  return typeof line === 'string' ? safe(line) : { ...line, text: safe(line.text) }
}

function problemLines(view: ImportView): Line[] {
  return fileProblems(view).map(({ file, line, column, message }) => {
    const place = line === null ? '' : `:${line}:${column}`
    return { text: `! ${file}${place} ${message}: it is left alone`, colour: 'red' }
  })
}

/** Of all files that could not be read. */
export function fileProblems({ sources, ruleProblems }: ImportView) {
  const ofServers = sources.flatMap(({ problem, file, application }) =>
    problem ? [{ application, file, ...problem }] : [],
  )
  return [...ofServers, ...ruleProblems.map((problem) => ({ application: 'rules', ...problem }))]
}

function importedLines(translation: ImportView['plan']['imported'][number]): Line[] {
  const { name, table, server, needs } = translation
  const state = table.enabled === false ? ', off' : ''
  const what = table.command === undefined ? table.url! : [table.command, ...(table.args ?? [])].join(' ')
  return [
    { text: `+ ${name} (${server.origin.label}${state})`, colour: 'green' },
    `    ${table.command === undefined ? 'connects to' : 'starts'} ${what}`,
    ...detailLines(translation),
    ...(needs.length > 0 ? [dim(`    needs ${needs.join(', ')} in the environment of codex`)] : []),
  ]
}

function refusedLines(translation: Translation): Line[] {
  const { server, problem } = translation
  return [
    { text: `! ${server.name} (${server.origin.label}) is not imported: ${problem}`, colour: 'yellow' },
    ...detailLines(translation),
  ]
}

function detailLines({ notes, leftOut }: Translation): Line[] {
  return [
    ...notes.map(({ about, text }) => dim(`    ${about}: ${text}`)),
    ...leftOut.map(({ key, why }) => dim(`    ${key}: ${why}`)),
  ]
}

function ruleLines(rules: TranslatedRules | null): Line[] {
  if (rules === null) return []
  return [
    ...rules.lines.map((line) => ({ text: `+ rule ${line}`, colour: 'green' as const })),
    ...rules.leftOut.map(({ rule, why }) =>
      dim(`! rule ${rule.answer} ${rule.text} is not imported: ${why}`),
    ),
  ]
}

function diffLines({ diff, file }: ImportView): Line[] {
  if (diff.length === 0) return []
  return [
    '',
    { text: `${file}: ${count(diff.length, 'line')} changed`, colour: 'bold' },
    ...diff.map(
      ({ sign, text }): Cell => ({ text: `${sign}${text}`, colour: sign === '+' ? 'green' : 'red' }),
    ),
  ]
}

function dim(text: string): Cell {
  return { text, colour: 'dim' }
}
