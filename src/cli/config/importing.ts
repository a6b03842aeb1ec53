// An import before it is written: what was found, what a person allowed, and what would become of config.toml.
import path from 'node:path'
import { createRedactor } from '../../codex/index.ts'
import {
  type Allowed,
  changeConfig,
  codexRules,
  drawbridgeRules,
  findRules,
  findSources,
  type Machine,
  originsRead,
  prepareImport,
  readWhole,
  rulesFile,
  type TranslatedRules,
  targetOf,
} from '../../config/index.ts'
import type { Surroundings } from '../process/index.ts'
import { shellWord } from '../prompts/index.ts'
import { askEach, askingAt } from './ask-import.ts'
import { backupsOf, homeOf, machineOf, withCodex } from './config-place.ts'
import { detectItems, type FoundItems } from './external-items.ts'
import { type ImportFlags, type ImportWants, importWants } from './import-flags.ts'
import { type ImportView, shownDiff } from './import-lines.ts'
import { type FoundPlugins, installedPlugins } from './plugins.ts'
import { projectOf } from './sources.ts'

const RULES_FILE = path.join('rules', 'drawbridge-imported.rules')
const DISCOVERY_MS = 60_000

export interface Importing {
  readonly home: string
  readonly backups: string
  readonly view: ImportView
  readonly found: { readonly plugins: FoundPlugins; readonly items: readonly FoundItems[] }
  readonly rules: TranslatedRules | null
  readonly rulesFor: ImportFlags['rules']
  readonly hasChanges: boolean
  readonly isConfigChanged: boolean
  /** The text of config.toml with the import, for whatever it says when it is written. */
  apply(text: string | null): string | null
}

/** Reads, asks what only a person may allow, and writes nothing. */
export async function prepareImporting(flags: ImportFlags, surroundings: Surroundings): Promise<Importing> {
  const wants = importWants(flags)
  const home = homeOf(flags, surroundings)
  const machine = machineOf(surroundings)
  const project = projectOf(flags)
  const sources = findSources(machine, { project, from: wants.names })
  const file = path.join(home, 'config.toml')
  const text = readWhole(targetOf(file)) ?? ''
  const found = await discover(wants, { home, project, flags, surroundings })
  const wish = (allowed: Allowed, servers = sources.flatMap((source) => source.servers)) => ({
    servers,
    from: originsRead(wants.from, { sources, project }),
    project,
    env: machine.env,
    allowed,
    plugins: found.plugins.plugins,
    permissions: flags.permissions ?? null,
  })
  const { plan } = prepareImport(text, wish(wants.allowed))
  const asking = flags.yes || flags.json || flags.dryRun ? null : askingAt(surroundings)
  const asks = [...plan.imported, ...plan.refused].flatMap((translation) => translation.asks)
  const allowed = asking && asks.length > 0 ? await askEach(asks, wants.allowed, asking) : wants.allowed
  const prepared = prepareImport(text, wish(allowed))
  const { rules, ruleProblems } = translatedRules(flags, wants, { machine, project })
  const items = found.items.flatMap((each) => each.items)
  const { redact } = createRedactor({ secrets: prepared.secrets })
  const diff = shownDiff(text, prepared, redact)
  const view: ImportView = {
    ...prepared,
    file,
    sources,
    diff,
    rules,
    ruleProblems,
    items: items.map(({ description }) => description),
    hide: redact,
  }
  const isConfigChanged = diff.length > 0
  const hasChanges =
    isConfigChanged || items.length > 0 || changesRules({ home, rules, rulesFor: flags.rules })
  // Never more than what was shown, whatever config.toml says by then.
  const shown = prepared.plan.imported.map(({ server }) => server)
  const apply = (now: string | null) => {
    const whole = prepareImport(now ?? '', wish(allowed, shown)).applied.text
    return whole === '' && now === null ? null : whole
  }
  const { backups } = backupsOf(flags, surroundings)
  return {
    home,
    backups,
    view,
    found,
    rules,
    rulesFor: flags.rules,
    hasChanges,
    isConfigChanged,
    apply,
  }
}

/** What only codex can tell. A dry run starts nothing. */
async function discover(
  { hasPlugins, items, from }: ImportWants,
  {
    home,
    project,
    flags,
    surroundings,
  }: { home: string; project: string | null; flags: ImportFlags; surroundings: Surroundings },
): Promise<Importing['found']> {
  const none: FoundPlugins = { plugins: null, error: null }
  if (flags.dryRun)
    return { plugins: { ...none, error: hasPlugins ? 'a dry run does not ask' : null }, items: [] }
  if (!hasPlugins && items.length === 0) return { plugins: none, items: [] }
  const signal = AbortSignal.any([surroundings.interrupted, AbortSignal.timeout(DISCOVERY_MS)])
  return withCodex({ home, codex: flags.codex }, surroundings, {
    signal,
    work: async (codex) => ({
      plugins: hasPlugins ? await installedPlugins(codex, { signal }) : none,
      items: items.length > 0 ? await detectItems(codex, { names: items, from, project, signal }) : [],
    }),
  })
}

function translatedRules(
  { rules: target }: ImportFlags,
  { from }: ImportWants,
  { machine, project }: { machine: Machine; project: string | null },
): Pick<ImportView, 'rules' | 'ruleProblems'> {
  if (target === undefined) return { rules: null, ruleProblems: [] }
  const { rules, problems: ruleProblems } = findRules(machine, { project, from })
  // A file that cannot be read may forbid what the others allow.
  if (ruleProblems.length > 0) return { rules: null, ruleProblems }
  return { rules: target === 'codex' ? codexRules(rules) : drawbridgeRules(rules, shellWord), ruleProblems }
}

type RulesWish = Pick<Importing, 'home' | 'rules' | 'rulesFor'>

/** Standing rules are compared by the service. */
function changesRules({ home, rules, rulesFor }: RulesWish): boolean {
  if (rules === null) return false
  if (rulesFor === 'drawbridge') return rules.lines.length > 0
  return readWhole(targetOf(path.join(home, RULES_FILE))) !== rulesFile(rules.lines)
}

/** The files that are not as they were, which `config undo` takes back. */
export function writeImport({ home, apply, rules, rulesFor, backups }: Importing): readonly string[] {
  const changes = {
    'config.toml': apply,
    ...(rulesFor === 'codex' && rules && { [RULES_FILE]: () => rulesFile(rules.lines) }),
  }
  return changeConfig(home, changes, { what: 'config import', now: Date.now(), backups }).files
}
