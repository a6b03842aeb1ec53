// The command line of `run`, checked once and turned into what codex is asked.
import { existsSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import type { OutputSchema, protocol, TurnInput } from '../../codex/index.ts'
import {
  type AccessFlags,
  accessOf,
  type NamedAccess,
  type RuleFlags,
  type YesFlags,
} from '../options/index.ts'
import { UsageError } from '../process/index.ts'

/** As commander parses it. */
export interface RunFlags extends RuleFlags, YesFlags, AccessFlags {
  readonly cwd?: string
  readonly model?: string
  readonly effort?: string
  readonly sandbox: SandboxMode
  readonly passEnv: readonly string[]
  readonly resume?: string
  readonly timeout: string
  readonly codex?: string
  readonly codexHome?: string
  readonly outputSchema?: string
  readonly image: readonly string[]
  readonly demo?: boolean
  readonly json?: boolean
}

export const SANDBOX_MODES = ['read-only', 'workspace-write'] as const
type SandboxMode = (typeof SANDBOX_MODES)[number]

/** One turn to run: on which thread, with what, for how long. */
export interface TurnRequest {
  readonly input: TurnInput
  readonly cwd: string
  readonly resume: string | null
  readonly model: string | null
  readonly effort: string | null
  readonly sandbox: SandboxMode
  readonly access: NamedAccess
  readonly outputSchema: OutputSchema | null
  readonly timeoutMs: number
}

const MAX_TIMEOUT_S = 2_147_483

export function turnRequest(prompt: string, flags: Omit<RunFlags, 'passEnv'>): TurnRequest {
  return {
    input: input(prompt, flags.image),
    cwd: folder(flags.cwd ?? '.'),
    resume: flags.resume ?? null,
    model: flags.model ?? null,
    effort: flags.effort ?? null,
    sandbox: flags.sandbox,
    access: accessOf(flags),
    outputSchema: flags.outputSchema === undefined ? null : schema(flags.outputSchema),
    timeoutMs: seconds(flags.timeout) * 1_000,
  }
}

function input(prompt: string, images: readonly string[]): protocol.v2.UserInput[] {
  if (prompt.trim() === '') throw new UsageError('the prompt is empty: say what Codex should do')
  return [
    { type: 'text', text: prompt, text_elements: [] },
    // codex carries on without an image it cannot read, so look first.
    ...images.map((image) => ({ type: 'localImage' as const, path: readable(image, 'image') })),
  ]
}

function folder(name: string): string {
  const found = path.resolve(name)
  if (!statSync(found, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`--cwd: no such folder: ${found}`)
  return found
}

function readable(name: string, what: string): string {
  const found = path.resolve(name)
  if (!existsSync(found)) throw new UsageError(`--${what}: no such file: ${found}`)
  return found
}

function schema(name: string): OutputSchema {
  const found = readable(name, 'output-schema')
  try {
    return JSON.parse(readFileSync(found, 'utf8'))
  } catch (error) {
    throw new UsageError(`--output-schema: ${found} is not JSON: ${(error as Error).message}`)
  }
}

function seconds(text: string): number {
  const value = Number(text)
  if (text.trim() !== '' && value > 0 && value <= MAX_TIMEOUT_S) return value
  throw new UsageError(`--timeout: not a number of seconds from 1 to ${MAX_TIMEOUT_S}: ${text}`)
}
