// A file of the settings that exports tools.
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { BadToolError, isTool, type Tool } from '../codex/index.ts'

const LOAD_MS = 10_000

/** Everything it exports that `defineTool` made: alone, in arrays, by any name. Rejects with what is wrong with the file. */
export async function loadModule(file: string): Promise<readonly Tool[]> {
  const exported = await importInTime(file)
  const values = Object.values(exported).flatMap((value) => (Array.isArray(value) ? value : [value]))
  const tools = [...new Set(values.filter(isTool))]
  if (tools.length === 0)
    throw new BadToolError(`${file} exports no tools: export what defineTool() of codex-drawbridge returns`)
  return tools
}

async function importInTime(file: string): Promise<Record<string, unknown>> {
  const over = new AbortController()
  const late = delay(LOAD_MS, null, { signal: over.signal }).then(() => {
    throw new BadToolError(`${file} was not loaded within ${LOAD_MS / 1_000} s`)
  })
  late.catch(() => {})
  try {
    return await Promise.race([import(pathToFileURL(path.resolve(file)).href), late])
  } catch (cause) {
    if (cause instanceof BadToolError) throw cause
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new BadToolError(`${file} cannot be loaded: ${why.split('\n', 1)[0]}`, { cause })
  } finally {
    over.abort()
  }
}
