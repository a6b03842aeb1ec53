// Permission rules that other applications keep: Claude Code and Cursor.
import { readSmallFile } from '../read-small-file.ts'
import { type FileProblem, inHome, type Machine, readDocument } from '../sources/index.ts'
import { isTable, textsOf, valueAt } from '../untyped.ts'
import { claudeMeaning, cursorMeaning, type PermissionRule, type RuleMeaning } from './permission-rule.ts'

const MAX_BYTES = 16 * 1024 * 1024

interface RuleSource {
  readonly application: string
  readonly label: string
  readonly meaning: (text: string) => RuleMeaning
  userFile(machine: Machine): string
  projectFiles(at: Machine): readonly string[]
}

const SOURCES: readonly RuleSource[] = [
  {
    application: 'claude-code',
    label: 'Claude Code',
    meaning: claudeMeaning,
    userFile: (machine) =>
      machine.env.CLAUDE_CONFIG_DIR
        ? inHome({ ...machine, home: machine.env.CLAUDE_CONFIG_DIR }, 'settings.json')
        : inHome(machine, '.claude', 'settings.json'),
    projectFiles: (project) =>
      ['settings.local.json', 'settings.json'].map((name) => inHome(project, '.claude', name)),
  },
  {
    application: 'cursor',
    label: 'Cursor',
    meaning: cursorMeaning,
    userFile: (machine) => inHome(machine, '.cursor', 'cli-config.json'),
    projectFiles: (project) => [inHome(project, '.cursor', 'cli.json')],
  },
]

export interface FoundRules {
  readonly rules: readonly PermissionRule[]
  readonly problems: readonly (FileProblem & { readonly file: string })[]
}

/** Where there are problems, no rule of these may be used: one that could not be read may forbid what others allow. */
export function findRules(
  machine: Machine,
  { project, from }: { project: string | null; from: ReadonlySet<string> },
): FoundRules {
  const rules: PermissionRule[] = []
  const problems: FoundRules['problems'][number][] = []
  for (const source of SOURCES.filter(({ application }) => from.has(application)))
    for (const place of placesOf(source, machine, project)) {
      const found = rulesAt(place, source)
      if ('rules' in found) rules.push(...found.rules)
      else problems.push({ ...found.problem, file: place.file })
    }
  return { rules, problems }
}

interface RulePlace {
  readonly file: string
  readonly isOfProject: boolean
}

function placesOf(
  { userFile, projectFiles }: RuleSource,
  machine: Machine,
  project: string | null,
): RulePlace[] {
  const ofProject = project === null ? [] : projectFiles({ ...machine, home: project })
  return [
    ...ofProject.map((file) => ({ file, isOfProject: true })),
    { file: userFile(machine), isOfProject: false },
  ]
}

type RulesAt = { readonly rules: readonly PermissionRule[] } | { readonly problem: FileProblem }

function rulesAt(place: RulePlace, source: RuleSource): RulesAt {
  const read = readSmallFile(place.file, MAX_BYTES)
  if (!('bytes' in read)) return read.problem === null ? { rules: [] } : wrong(read.problem)
  const document = readDocument(read.bytes, 'json')
  return 'problem' in document ? document : rulesIn(document.value, place, source)
}

function rulesIn(document: unknown, place: RulePlace, { label, meaning }: RuleSource): RulesAt {
  const permissions = valueAt(document, ['permissions']) ?? {}
  if (!isTable(permissions)) return wrong('has permissions that are not a table')
  const rules: PermissionRule[] = []
  for (const answer of ['deny', 'ask', 'allow'] as const) {
    const texts = textsOf(permissions[answer] ?? [])
    if (texts === null) return wrong(`has permissions.${answer} that are not a list of texts`)
    rules.push(...texts.map((text) => ({ answer, text, label, ...place, ...meaning(text) })))
  }
  return { rules }
}

function wrong(message: string): { problem: FileProblem } {
  return { problem: { message: `${message}, so no rules are imported`, line: null, column: null } }
}
