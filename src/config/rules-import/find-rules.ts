// Permission rules that other applications keep: Claude Code and Cursor.
import { readSmallFile } from '../read-small-file.ts'
import { type FileProblem, inHome, type Machine, readDocument } from '../sources/index.ts'
import { isTable, textsOf, valueAt } from '../untyped.ts'
import {
  claudeMeaning,
  cursorMeaning,
  type PermissionRule,
  type RuleAnswer,
  type RuleMeaning,
} from './permission-rule.ts'

const MAX_BYTES = 16 * 1024 * 1024

interface RuleSource {
  readonly application: string
  readonly label: string
  readonly meaning: (text: string) => RuleMeaning
  files(machine: Machine, project: string | null): readonly string[]
}

const SOURCES: readonly RuleSource[] = [
  {
    application: 'claude-code',
    label: 'Claude Code',
    meaning: claudeMeaning,
    files: (machine, project) => [
      ...(project === null
        ? []
        : ['settings.local.json', 'settings.json'].map((name) =>
            inHome({ ...machine, home: project }, '.claude', name),
          )),
      machine.env.CLAUDE_CONFIG_DIR
        ? inHome({ ...machine, home: machine.env.CLAUDE_CONFIG_DIR }, 'settings.json')
        : inHome(machine, '.claude', 'settings.json'),
    ],
  },
  {
    application: 'cursor',
    label: 'Cursor',
    meaning: cursorMeaning,
    files: (machine, project) => [
      ...(project === null ? [] : [inHome({ ...machine, home: project }, '.cursor', 'cli.json')]),
      inHome(machine, '.cursor', 'cli-config.json'),
    ],
  },
]

export interface FoundRules {
  readonly rules: readonly PermissionRule[]
  readonly problems: readonly (FileProblem & { readonly file: string })[]
}

export function findRules(
  machine: Machine,
  { project, from }: { project: string | null; from: ReadonlySet<string> },
): FoundRules {
  const rules: PermissionRule[] = []
  const problems: FoundRules['problems'][number][] = []
  for (const source of SOURCES.filter(({ application }) => from.has(application)))
    for (const file of source.files(machine, project)) {
      const read = readSmallFile(file, MAX_BYTES)
      if (!('bytes' in read)) continue
      const document = readDocument(read.bytes, 'json')
      if ('problem' in document) problems.push({ ...document.problem, file })
      else rules.push(...rulesIn(document.value, source, file))
    }
  return { rules, problems }
}

function rulesIn(document: unknown, { label, meaning }: RuleSource, file: string): PermissionRule[] {
  const permissions = valueAt(document, ['permissions'])
  if (!isTable(permissions)) return []
  return (['deny', 'ask', 'allow'] as const).flatMap((answer: RuleAnswer) =>
    (textsOf(permissions[answer] ?? []) ?? []).map((text) => ({
      answer,
      text,
      file,
      label,
      ...meaning(text),
    })),
  )
}
