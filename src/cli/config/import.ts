// `drawbridge config import`: read the other applications, show the whole change, ask, write, and see what starts.
import path from 'node:path'
import { createRedactor } from '../../codex/index.ts'
import {
  type Allowed,
  changeConfig,
  codexRules,
  drawbridgeRules,
  findRules,
  findSources,
  lineDiff,
  type Machine,
  prepareImport,
  readWhole,
  rulesFile,
  type TranslatedRules,
  targetOf,
} from '../../config/index.ts'
import { EXIT, type Surroundings } from '../process/index.ts'
import { shellWord } from '../prompts/index.ts'
import { printJson, printLines, tell } from '../screen/index.ts'
import { afterImport, type ImportAftermath } from './after-import.ts'
import { askEach, askingAt, confirm } from './ask-import.ts'
import { homeOf, machineOf, withCodex } from './config-place.ts'
import { detectItems, type FoundItems } from './external-items.ts'
import { type ImportFlags, type ImportWants, importWants } from './import-flags.ts'
import { type ImportView, importLines } from './import-lines.ts'
import { type ImportEnd, importReport } from './import-report.ts'
import { type FoundPlugins, installedPlugins } from './plugins.ts'
import { projectOf } from './sources.ts'

const RULES_FILE = path.join('rules', 'drawbridge-imported.rules')
const DISCOVERY_MS = 60_000
const NOT_DONE: ImportAftermath = { starts: [], itemResults: [], errors: [] }

export async function runImport(flags: ImportFlags, surroundings: Surroundings): Promise<number> {
  const importing = await prepare(flags, surroundings)
  const isDryRun = flags.dryRun === true
  const finish = (isWritten: boolean, end: ImportAftermath = NOT_DONE) =>
    report(
      importing,
      { ...end, isWritten, isDryRun, pluginError: importing.found.plugins.error },
      { flags, surroundings },
    )
  if (!flags.json) printLines(surroundings, importLines(importing.view))
  if (!importing.hasChanges) {
    if (!flags.json) tell(surroundings, 'Nothing to change.')
    return finish(false)
  }
  if (isDryRun) return finish(false)
  const answer = flags.yes ? 'yes' : await asked(importing.view.file, flags, surroundings)
  if (answer !== 'yes') {
    if (flags.json) finish(false)
    return answer === 'no' ? EXIT.declined : EXIT.interrupted
  }
  write(importing)
  return finish(true, await afterImport(importing, flags, surroundings))
}

export interface Importing {
  readonly home: string
  readonly machine: Machine
  readonly wants: ImportWants
  readonly allowed: Allowed
  readonly view: ImportView
  readonly found: { readonly plugins: FoundPlugins; readonly items: readonly FoundItems[] }
  readonly rules: TranslatedRules | null
  readonly rulesFor: ImportFlags['rules']
  readonly hasChanges: boolean
  /** The text of config.toml with the import, for whatever it says when it is written. */
  apply(text: string | null): string | null
}

async function prepare(flags: ImportFlags, surroundings: Surroundings): Promise<Importing> {
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
    from: wants.from,
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
  const rules = translatedRules(flags, wants, { machine, project })
  const items = found.items.flatMap((each) => each.items)
  const secrets = prepared.plan.all.flatMap((translation) => translation.secrets)
  const { redact } = createRedactor({ secrets })
  const diff = lineDiff(text, prepared.applied.text).map((line) => ({ ...line, text: redact(line.text) }))
  const view: ImportView = {
    ...prepared,
    file,
    sources,
    diff,
    rules,
    items: items.map(({ description }) => description),
    hide: redact,
  }
  const hasChanges = diff.length > 0 || items.length > 0 || (rules?.lines.length ?? 0) > 0
  // Never more than what was shown, whatever config.toml says by then.
  const shown = prepared.plan.imported.map(({ server }) => server)
  const apply = (now: string | null) => {
    const whole = prepareImport(now ?? '', wish(allowed, shown)).applied.text
    return whole === '' && now === null ? null : whole
  }
  return { home, machine, wants, allowed, view, found, rules, rulesFor: flags.rules, hasChanges, apply }
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
): TranslatedRules | null {
  if (target === undefined) return null
  const { rules } = findRules(machine, { project, from })
  return target === 'codex' ? codexRules(rules) : drawbridgeRules(rules, shellWord)
}

function write({ home, apply, rules, rulesFor }: Importing): void {
  const lines = rulesFor === 'codex' ? (rules?.lines ?? []) : []
  const changes = {
    'config.toml': apply,
    ...(lines.length > 0 && { [RULES_FILE]: () => rulesFile(lines) }),
  }
  changeConfig(home, changes, { what: 'config import', now: Date.now() })
}

async function asked(
  file: string,
  { json }: ImportFlags,
  surroundings: Surroundings,
): Promise<'yes' | 'no' | 'interrupted'> {
  const asking = json ? null : askingAt(surroundings)
  if (!asking) {
    tell(
      surroundings,
      'drawbridge: nothing written: nobody can be asked here; add --yes to write what is shown',
    )
    return 'no'
  }
  const isYes = await confirm(asking, `Write this to ${file}?`)
  if (surroundings.interrupted.aborted) return 'interrupted'
  if (!isYes) tell(surroundings, 'Nothing written.')
  return isYes ? 'yes' : 'no'
}

function report(
  { view }: Importing,
  end: ImportEnd,
  { flags, surroundings }: { flags: ImportFlags; surroundings: Surroundings },
): number {
  const { redactValue } = createRedactor({ secrets: view.plan.all.flatMap(({ secrets }) => secrets) })
  const told = redactValue(importReport(view, end))
  if (flags.json) printJson(surroundings, told)
  else {
    printLines(surroundings, endLines(end).map(view.hide))
    if (end.isWritten) tell(surroundings, `${told.summary}. \`drawbridge config undo\` takes it back.`)
  }
  return end.errors.length > 0 || told.problems.length > 0 ? EXIT.failed : EXIT.done
}

function endLines({ starts, itemResults, errors, pluginError }: ImportEnd): string[] {
  return [
    ...itemResults,
    ...(pluginError === null ? [] : [`! plugins: ${pluginError}`]),
    ...errors.map((error) => `! ${error}`),
    ...starts.map(({ name, isStarted, tools, problem }) =>
      isStarted
        ? `✓ ${name} starts, with ${tools === 1 ? '1 tool' : `${tools} tools`}`
        : `✗ ${name} does not start: ${problem}`,
    ),
  ]
}
