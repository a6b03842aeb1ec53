// `drawbridge config show`: what codex goes by, and which layer each value is from.
import path from 'node:path'
import { createRedactor, type protocol, redact } from '../../codex/index.ts'
import { serverSecrets, settingsBelow } from '../../config/index.ts'
import { EXIT, type Surroundings } from '../process/index.ts'
import { type Cell, printJson, printTable, tell } from '../screen/index.ts'
import { type ConfigFlags, homeOf, withCodex } from './config-place.ts'

export interface ShowFlags extends ConfigFlags {
  readonly cwd?: string
  readonly all?: boolean
}

const READ_MS = 30_000

export interface ShownSetting {
  readonly key: string
  readonly value: string
  /** null for a default of codex's own. */
  readonly layer: string | null
}

export async function runShow(
  key: string | undefined,
  flags: ShowFlags,
  surroundings: Surroundings,
): Promise<number> {
  const signal = AbortSignal.any([surroundings.interrupted, AbortSignal.timeout(READ_MS)])
  const read = await withCodex({ home: homeOf(flags, surroundings), codex: flags.codex }, surroundings, {
    signal,
    work: (codex) =>
      codex.request('config/read', { includeLayers: true, cwd: path.resolve(flags.cwd ?? '.') }, { signal }),
  })
  const settings = shownSettings(hidden(read)).filter((setting) => isWanted(setting, key, flags.all === true))
  if (flags.json) printJson(surroundings, settings)
  else if (settings.length > 0) printTable(surroundings, settings.map(row))
  else tell(surroundings, key === undefined ? 'Nothing is set.' : `${key} is not set.`)
  return settings.length > 0 || key === undefined ? EXIT.done : EXIT.failed
}

/** Also what only looks like a secret: an address of a server can be its key. */
function hidden(read: Read): Read {
  const all = [read.config, ...(read.layers ?? []).map(({ config }) => config)]
  const secrets = all.flatMap((config) => serverSecrets(Object(config).mcp_servers))
  return createRedactor({ secrets }).redactValue(read)
}

type Read = protocol.v2.ConfigReadResponse

/**
 * Every value that a layer sets, the highest layer first to be asked, and codex's defaults. The flags that Drawbridge
 * starts codex with are no layer of the user's.
 */
export function shownSettings({ config, layers }: Read): ShownSetting[] {
  const all = (layers ?? []).filter(({ disabledReason }) => !disabledReason)
  const flags = all.filter(({ name }) => name.type === 'sessionFlags')
  const shown = new Map<string, ShownSetting>()
  for (const { name, config: values } of all.filter((layer) => !flags.includes(layer)))
    for (const { key, value } of settingsBelow('', values))
      if (!shown.has(key)) shown.set(key, { key, value: redact(value), layer: layerName(name) })
  const ours = new Set(flags.flatMap((layer) => settingsBelow('', layer.config)).map(({ key }) => key))
  for (const { key, value } of settingsBelow('', config))
    if (!shown.has(key) && !ours.has(key) && value !== 'null' && value !== '{}')
      shown.set(key, { key, value: redact(value), layer: null })
  return [...shown.values()].sort((a, b) => (a.key < b.key ? -1 : 1))
}

function layerName(layer: protocol.v2.ConfigLayerSource): string {
  if (layer.type === 'user') return layer.file
  if (layer.type === 'project') return layer.dotCodexFolder
  return 'file' in layer && typeof layer.file === 'string' ? layer.file : layer.type
}

function isWanted({ key, layer }: ShownSetting, wanted: string | undefined, isAll: boolean): boolean {
  if (wanted !== undefined) return key === wanted || key.startsWith(`${wanted}.`)
  return isAll || layer !== null
}

function row({ key, value, layer }: ShownSetting): Cell[] {
  return [{ text: key }, { text: value }, { text: layer ?? 'default', colour: 'dim' }]
}
