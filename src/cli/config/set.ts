// `drawbridge config set` and `unset`: through codex's own RPC, which checks the value and refuses when the file was
// changed meanwhile. Codex writes LF only: where the file had CRLF throughout, they are put back.
import path from 'node:path'
import { type ClientParams, type Codex, type protocol, RpcError, redact } from '../../codex/index.ts'
import { ConfigError, changeConfig, readWhole, targetOf, tomlLiteral } from '../../config/index.ts'
import { EXIT, type Surroundings, UsageError } from '../process/index.ts'
import { printJson, tell } from '../screen/index.ts'
import { checkText, problemText } from './check.ts'
import { backupsOf, type ConfigFlags, homeOf, withCodex } from './config-place.ts'

const WRITE_MS = 30_000

type Value = ClientParams<'config/value/write'>['value']

export function runSet(
  key: string,
  value: string,
  flags: ConfigFlags,
  surroundings: Surroundings,
): Promise<number> {
  return writeKey({ key, value: tomlLiteral(value) as Value }, flags, surroundings)
}

export function runUnset(key: string, flags: ConfigFlags, surroundings: Surroundings): Promise<number> {
  return writeKey({ key, value: null }, flags, surroundings)
}

interface Edit {
  readonly key: string
  /** null takes the key out. */
  readonly value: Value
}

async function writeKey(edit: Edit, flags: ConfigFlags, surroundings: Surroundings): Promise<number> {
  const home = homeOf(flags, surroundings)
  const file = path.join(home, 'config.toml')
  const signal = AbortSignal.any([surroundings.interrupted, AbortSignal.timeout(WRITE_MS)])
  const { before, after, written } = await withCodex({ home, codex: flags.codex }, surroundings, {
    signal,
    work: async (codex) => {
      const expectedVersion = await versionOf(codex, signal)
      const text = readWhole(targetOf(file))
      const reply = await send(codex, edit, { expectedVersion, signal })
      // At once: what others write from now on is not part of this change.
      return { before: text, after: readWhole(targetOf(file)), written: reply }
    },
  })
  const keep = (now: string | null) => (now === null ? null : withLineEnds(now, before))
  changeConfig(
    home,
    { 'config.toml': keep },
    {
      what: `config ${edit.value === null ? 'unset' : 'set'} ${edit.key}`,
      now: Date.now(),
      ...backupsOf(flags, surroundings),
      written: { 'config.toml': { before, after } },
    },
  )
  const problem =
    edit.value === null ? null : await unknownKey(edit.key, { home, codex: flags.codex }, surroundings)
  tellWritten(
    edit,
    { problem, file, written, hasMixedEnds: hasBothLineEnds(before) },
    { flags, surroundings },
  )
  return EXIT.done
}

/** Codex writes any key. null also where this codex cannot tell: the key is written all the same. */
async function unknownKey(
  key: string,
  place: { home: string; codex: string | undefined },
  surroundings: Surroundings,
): Promise<string | null> {
  try {
    const text = readWhole(targetOf(path.join(place.home, 'config.toml'))) ?? ''
    const { problems } = await checkText(text, place, surroundings)
    const found = problems.find(({ path: keys }) => keys.join('.') === key.replaceAll('"', ''))
    return found ? problemText(found) : null
  } catch {
    return null
  }
}

/** Of the user's config.toml, as codex counts; null when there is none. */
async function versionOf(codex: Codex, signal: AbortSignal): Promise<string | null> {
  const { layers } = await codex.request('config/read', { includeLayers: true }, { signal })
  return layers?.find(({ name }) => name.type === 'user' && name.profile === null)?.version ?? null
}

async function send(
  codex: Codex,
  { key, value }: Edit,
  { expectedVersion, signal }: { expectedVersion: string | null; signal: AbortSignal },
): Promise<protocol.v2.ConfigWriteResponse> {
  try {
    const params = { keyPath: key, value, mergeStrategy: 'replace' as const, expectedVersion }
    return await codex.request('config/value/write', params, { signal })
  } catch (error) {
    const { config_write_error_code: why } = Object(error instanceof RpcError ? error.data : null) as Record<
      string,
      unknown
    >
    if (why === 'configVersionConflict')
      throw new ConfigError(
        'config-changed',
        'config.toml was changed meanwhile, and nothing is written: look at it, then try again',
        {
          isRetryable: true,
          cause: error,
        },
      )
    if (error instanceof RpcError && why !== undefined)
      throw new UsageError(`${key}: ${redact(error.rpcMessage)}`)
    throw error
  }
}

function withLineEnds(now: string, before: string | null): string {
  const isCrlf = before?.includes('\r\n') && !hasBothLineEnds(before)
  return isCrlf ? now.replace(/\r?\n/g, '\r\n') : now
}

function hasBothLineEnds(text: string | null): boolean {
  return /\r\n/.test(text ?? '') && /(?<!\r)\n/.test(text ?? '')
}

interface WrittenKey {
  readonly file: string
  readonly written: protocol.v2.ConfigWriteResponse
  readonly hasMixedEnds: boolean
  /** What codex would say of the key if it were strict. */
  readonly problem: string | null
}

function tellWritten(
  { key, value }: Edit,
  { file, written, hasMixedEnds, problem }: WrittenKey,
  { flags, surroundings }: { flags: ConfigFlags; surroundings: Surroundings },
): void {
  const { overriddenMetadata: by } = written
  // What Drawbridge itself starts codex with is no concern of the user's.
  const overridden = by && by.overridingLayer.name.type !== 'sessionFlags' ? by.message : null
  if (flags.json) {
    const { version } = written
    printJson(surroundings, { file, key, isSet: value !== null, version, overridden, problem })
    return
  }
  tell(surroundings, `${value === null ? 'Taken out' : 'Set'}: ${key} in ${file}`)
  if (problem !== null) tell(surroundings, redact(problem))
  if (overridden !== null) tell(surroundings, `It has no effect now: ${redact(overridden)}`)
  if (hasMixedEnds) tell(surroundings, 'The file had CRLF and LF line ends; Codex has made all of them LF.')
}
