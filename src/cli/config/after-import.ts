// What follows once the import is written: rules for the service, what codex takes over itself, and which servers start.
import type { protocol } from '../../codex/index.ts'
import { errorText, type Surroundings } from '../process/index.ts'
import { serviceClient } from '../service/index.ts'
import { withCodex } from './config-place.ts'
import { importItems } from './external-items.ts'
import type { ImportFlags } from './import-flags.ts'
import type { Importing } from './importing.ts'
import { checkStarts, type ServerStart } from './start-check.ts'

const AFTER_MS = 180_000

export interface ImportAftermath {
  readonly starts: readonly ServerStart[]
  readonly itemResults: readonly string[]
  readonly errors: readonly string[]
}

/** The file is written: what goes wrong now is told, and takes nothing back. */
export async function afterImport(
  importing: Importing,
  flags: ImportFlags,
  surroundings: Surroundings,
): Promise<ImportAftermath> {
  const errors: string[] = []
  const attempt = async <T>(what: string, work: () => Promise<T>, otherwise: T): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      surroundings.interrupted.throwIfAborted()
      errors.push(`${what}: ${errorText(error)}`)
      return otherwise
    }
  }
  await attempt('standing rules', () => addRules(importing, flags, surroundings), undefined)
  const told = await attempt('codex', () => askCodex(importing, flags, surroundings), {
    starts: [],
    itemResults: [],
  })
  return { ...told, errors }
}

async function addRules(
  { rules, rulesFor }: Importing,
  flags: ImportFlags,
  surroundings: Surroundings,
): Promise<void> {
  if (rulesFor !== 'drawbridge' || !rules || rules.lines.length === 0) return
  const client = await serviceClient(flags, surroundings)
  const standing = new Set((await client.rules({ revoked: false })).map(({ text }) => text))
  for (const text of rules.lines) if (!standing.has(text)) await client.addRule({ text, note: 'imported' })
}

async function askCodex(
  { home, found, view }: Importing,
  flags: ImportFlags,
  surroundings: Surroundings,
): Promise<Omit<ImportAftermath, 'errors'>> {
  const started = view.plan.imported.filter(({ table }) => table.enabled !== false)
  const names = flags.start ? started.map(({ name }) => name) : []
  const items = found.items.filter((each) => each.items.length > 0)
  if (names.length === 0 && items.length === 0) return { starts: [], itemResults: [] }
  const signal = AbortSignal.any([surroundings.interrupted, AbortSignal.timeout(AFTER_MS)])
  return withCodex({ home, codex: flags.codex }, surroundings, {
    signal,
    passEnv: [...new Set(started.flatMap(({ needs }) => needs))],
    work: async (codex, heard) => {
      const itemResults: string[] = []
      const completed = (importId: string, until: AbortSignal) =>
        heard.wait(({ method, params }) => completedImport(method, params, importId), until)
      for (const each of items) itemResults.push(...(await importItems(codex, each, { completed, signal })))
      return { itemResults, starts: await checkStarts(codex, names, { signal }) }
    },
  })
}

function completedImport(method: string, params: unknown, importId: string) {
  const told = params as protocol.v2.ExternalAgentConfigImportCompletedNotification
  return method === 'externalAgentConfig/import/completed' && told.importId === importId ? told : null
}
