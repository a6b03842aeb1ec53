// What an import would do, for people: server by server, what would be started, and the change of the file. What is started
// is shown as it is, but for its own secrets; `hide` is for the rest.
import { redact } from '../../codex/index.ts'
import {
  type DiffLine,
  type FoundRules,
  type FoundSource,
  lineDiff,
  type PreparedImport,
  type TranslatedRules,
  type Translation,
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
  /** Hides the secrets of all sources. Not for what a person says yes to: a source decides what counts as its secrets. */
  readonly hide: (text: string) => string
}

type Line = string | Cell

export function importLines(view: ImportView): Line[] {
  const { hide } = view
  const lines = [
    ...problemLines(view).map((line) => withText(line, hide)),
    ...view.plan.imported.flatMap((translation) => importedLines(translation, hide)),
    ...otherLines(view).map((line) => withText(line, hide)),
    ...ruleLines(view.rules, hide),
    ...view.items.map((item) => withText(`+ ${item}`, hide)),
    ...diffLines(view),
  ]
  return lines.map((line) => withText(line, visibleLine))
}

function otherLines(view: ImportView): Line[] {
  return [
    ...view.plan.preserved.map(({ name }) => dim(`= ${name}: config.toml has its own, which stays`)),
    ...view.plan.doubled.map(({ translation, first }) =>
      dim(
        `= ${translation.name} of ${place(translation.server.origin)}: the one of ${place(first)} is taken`,
      ),
    ),
    ...view.plan.refused.flatMap(refusedLines),
  ]
}

function place({ label, level, file }: Translation['server']['origin']): string {
  return `${label}, ${level}, ${file}`
}

function withText(line: Line, change: (text: string) => string): Line {
  return typeof line === 'string' ? change(line) : { ...line, text: change(line.text) }
}

function problemLines(view: ImportView): Line[] {
  return fileProblems(view).map(({ file, line, column, message }) => {
    const at = line === null ? '' : `:${line}:${column}`
    return { text: `! ${file}${at} ${message}: it is left alone`, colour: 'red' }
  })
}

/** Of all files that could not be read. */
export function fileProblems({ sources, ruleProblems }: ImportView) {
  const ofServers = sources.flatMap(({ problem, file, application }) =>
    problem ? [{ application, file, ...problem }] : [],
  )
  return [...ofServers, ...ruleProblems.map((problem) => ({ application: 'rules', ...problem }))]
}

function importedLines(
  translation: ImportView['plan']['imported'][number],
  hide: ImportView['hide'],
): Line[] {
  const { name, shown, server, needs } = translation
  const state = shown.enabled === false ? ', off' : ''
  const what = shown.command === undefined ? shown.url! : [shown.command, ...(shown.args ?? [])].join(' ')
  return [
    { text: `+ ${name} (${place(server.origin)}${state})`, colour: 'green' },
    `    ${shown.command === undefined ? 'connects to' : 'starts'} ${what}`,
    ...detailLines(translation).map((line) => withText(line, hide)),
    ...(needs.length > 0 ? [dim(`    needs ${needs.join(', ')} in the environment of codex`)] : []),
  ]
}

function refusedLines(translation: Translation): Line[] {
  const { server, problem } = translation
  return [
    { text: `! ${server.name} (${place(server.origin)}) is not imported: ${problem}`, colour: 'yellow' },
    ...detailLines(translation),
  ]
}

function detailLines({ notes, leftOut }: Translation): Line[] {
  return [
    ...notes.map(({ about, text }) => dim(`    ${about}: ${text}`)),
    ...leftOut.map(({ key, why }) => dim(`    ${key}: ${why}`)),
  ]
}

function ruleLines(rules: TranslatedRules | null, hide: ImportView['hide']): Line[] {
  if (rules === null) return []
  return [
    ...rules.lines.map((line) => ({ text: redact(`+ rule ${line}`), colour: 'green' as const })),
    ...rules.leftOut.map(({ rule, why }) =>
      withText(dim(`! rule ${rule.answer} ${rule.text} is not imported: ${why}`), hide),
    ),
  ]
}

/** The change of config.toml. Lines of imported servers have their own way to be shown. */
export function shownDiff(
  before: string,
  { applied, shownLines }: PreparedImport,
  hide: ImportView['hide'],
): DiffLine[] {
  return lineDiff(before, applied.text).map(({ sign, text }) => {
    const own = sign === '+' ? shownLines.get(text) : undefined
    return { sign, text: own ?? hide(text) }
  })
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
