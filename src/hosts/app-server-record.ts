import type { Protection } from '../codex/index.ts'
import type { ProcessIdentity } from './processes.ts'

/** What is written down about an app-server we start, so that it can be found and ended when we are gone. */
export interface AppServerRecord {
  /** The value of its marker variable; also the name of its file. */
  readonly id: string
  /** 0 while it is only intended: it may have been started, and can be found by its marker. */
  readonly pid: number
  /** With `pid` its identity; empty where the system does not tell. */
  readonly start: string
  /** The name of the session it leads; null or absent where the system has none. */
  readonly session?: string | null
  readonly ownerPid: number
  readonly ownerStart: string
  readonly codexPath: string
  readonly codexVersion: string
  /** null for codex's default. */
  readonly codexHome: string | null
  /** ISO time. */
  readonly startedAt: string
  /** Of one that is to outlive its owner. */
  readonly detached?: DetachedFacts
}

export interface DetachedFacts {
  /** The data folder of the service it belongs to: only who serves from there may take it over or end it. */
  readonly scope: string
  readonly socketPath: string
  readonly stderrPath: string
  /** As it was asked for: null is the default. */
  readonly key: {
    readonly codexPath: string | null
    readonly codexHome: string | null
    /** Absent in records of earlier versions. */
    readonly execHost?: string | null
  }
  /** Tells whether it was started with the settings of today. */
  readonly settings: string
  /** What keeps its commands from logins; absent in records of earlier versions. */
  readonly protection?: Protection | null
}

export interface DetachedRecord extends AppServerRecord {
  readonly detached: DetachedFacts
}

const ID = /^[0-9a-f]{32}$/
const RECORD_FILE = /^([0-9a-f]{32})\.json(\.tmp)?$/

export function fileNameOf(id: string): string {
  return `${id}.json`
}

/** Whether a file in the registry can be ours at all; all others are left alone. */
export function isRecordFile(name: string): boolean {
  return RECORD_FILE.test(name)
}

/** null when the text is not a whole record of that name. */
export function parseRecord(fileName: string, text: string): AppServerRecord | null {
  const record = parse(text)
  const texts = [record.id, record.start, record.ownerStart, record.codexPath, record.codexVersion]
  if (!texts.every((value) => typeof value === 'string')) return null
  if (!Number.isSafeInteger(record.pid) || !Number.isSafeInteger(record.ownerPid)) return null
  if (!ID.test(record.id as string) || fileName !== fileNameOf(record.id as string)) return null
  if (record.detached !== undefined && !isDetached(Object(record.detached))) return null
  return record as unknown as AppServerRecord
}

/** null when it was only intended. */
export function appServerOf({ pid, start }: AppServerRecord): ProcessIdentity | null {
  return pid === 0 ? null : { pid, start }
}

export function ownerOf({ ownerPid, ownerStart }: AppServerRecord): ProcessIdentity {
  return { pid: ownerPid, start: ownerStart }
}

function isDetached(facts: Record<string, unknown>): boolean {
  const texts = [facts.scope, facts.socketPath, facts.stderrPath, facts.settings]
  return texts.every((value) => typeof value === 'string') && typeof facts.key === 'object'
}

function parse(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>
  } catch {
    return {}
  }
}
