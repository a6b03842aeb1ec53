// `drawbridge config show`: what codex goes by, and which layer each value is from.
import path from 'node:path'
import { type protocol, redact, redactValue } from '../../codex/index.ts'
import { settingsBelow } from '../../config/index.ts'
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
  const settings = shownSettings(redactValue(read)).filter((setting) =>
    isWanted(setting, key, flags.all === true),
  )
  if (flags.json) printJson(surroundings, settings)
  else if (settings.length > 0) printTable(surroundings, settings.map(row))
  else tell(surroundings, key === undefined ? 'Nothing is set.' : `${key} is not set.`)
  return settings.length > 0 || key === undefined ? EXIT.done : EXIT.failed
}

/** Every value in force; those that nobody set and that are nothing are left out. */
export function shownSettings({ config, origins }: protocol.v2.ConfigReadResponse): ShownSetting[] {
  return settingsBelow('', config)
    .filter(({ value }) => value !== 'null' && value !== '{}')
    .map(({ key, value }) => ({ key, value: redact(value), layer: layerOf(key, origins) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
}

/** Codex names the origin of each element of an array. */
function layerOf(key: string, origins: protocol.v2.ConfigReadResponse['origins']): string | null {
  const plain = key.replaceAll('"', '')
  const found = origins[plain] ?? origins[key] ?? origins[`${plain}.0`]
  return found ? layerName(found.name) : null
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
