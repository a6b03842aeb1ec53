// `drawbridge config import`: read the other applications, show the whole change, ask, write, and see what starts.
import { createRedactor } from '../../codex/index.ts'
import { EXIT, type Surroundings } from '../process/index.ts'
import { count, printJson, printLines, tell } from '../screen/index.ts'
import { afterImport, type ImportAftermath } from './after-import.ts'
import { askingAt, confirm } from './ask-import.ts'
import type { ImportFlags } from './import-flags.ts'
import { type ImportView, importLines } from './import-lines.ts'
import { type ImportEnd, importReport } from './import-report.ts'
import { type Importing, prepareImporting, writeImport } from './importing.ts'

const NOT_DONE: ImportAftermath = { starts: [], itemResults: [], reloaded: 0, errors: [] }

export async function runImport(flags: ImportFlags, surroundings: Surroundings): Promise<number> {
  const importing = await prepareImporting(flags, surroundings)
  const isDryRun = flags.dryRun === true
  const finish = (isWritten: boolean, end: ImportAftermath = NOT_DONE, canUndo = false) =>
    report(
      importing,
      { ...end, isWritten, isDryRun, canUndo, pluginError: importing.found.plugins.error },
      { flags, surroundings },
    )
  if (!flags.json) printLines(surroundings, importLines(importing.view))
  if (!importing.hasChanges) {
    if (!flags.json) tell(surroundings, 'Nothing to change.')
    return finish(false)
  }
  if (isDryRun) return finish(false)
  const answer = flags.yes ? 'yes' : await asked(importing.view, flags, surroundings)
  if (answer !== 'yes') {
    if (flags.json) finish(false)
    return answer === 'no' ? EXIT.declined : EXIT.interrupted
  }
  const canUndo = writeImport(importing).length > 0
  return finish(true, await afterImport(importing, flags, surroundings), canUndo)
}

async function asked(
  view: ImportView,
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
  for (const line of consequences(view)) asking.terminal.line(line)
  const isYes = await confirm(asking, `Write this to ${view.file}?`)
  if (surroundings.interrupted.aborted) return 'interrupted'
  if (!isYes) tell(surroundings, 'Nothing written.')
  return isYes ? 'yes' : 'no'
}

/** A yes is for more than the file: say what follows. */
export function consequences({ plan }: Pick<ImportView, 'plan'>): string[] {
  const started = plan.imported.filter(({ table }) => table.command !== undefined && table.enabled !== false)
  return started.length > 0
    ? [`Codex then starts ${count(started.length, 'server')} outside its sandbox.`]
    : []
}

function report(
  { view }: Importing,
  end: ImportEnd,
  { flags, surroundings }: { flags: ImportFlags; surroundings: Surroundings },
): number {
  const { redactValue } = createRedactor({ secrets: view.secrets })
  const whole = importReport(view, end)
  // Its secrets are hidden already, and nothing else in it may be.
  const told = { ...redactValue(whole), diff: whole.diff }
  if (flags.json) printJson(surroundings, told)
  else {
    printLines(surroundings, endLines(end).map(view.hide))
    const undo = end.canUndo ? ' `drawbridge config undo` takes it back.' : ''
    if (end.isWritten) tell(surroundings, `${told.summary}.${undo}`)
    if (end.isWritten) tellNeeds(view, surroundings)
  }
  return end.errors.length > 0 || told.problems.length > 0 ? EXIT.failed : EXIT.done
}

/** Codex gets only some of Drawbridge's environment. */
function tellNeeds({ plan, hide }: ImportView, surroundings: Surroundings): void {
  const needs = [...new Set(plan.imported.flatMap((translation) => translation.needs))]
  if (needs.length === 0) return
  tell(
    surroundings,
    hide(`For tasks of Drawbridge, name these in passEnv of settings.json: ${needs.join(', ')}`),
  )
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
