import type { ProcessIdentity } from './processes.ts'

/** What is written down about an app-server we started, so that it can be found and ended when we are gone. */
export interface AppServerRecord {
  /** The value of its marker variable; also the name of its file. */
  readonly id: string
  readonly pid: number
  /** With `pid` its identity; empty where the system does not tell. */
  readonly start: string
  readonly ownerPid: number
  readonly ownerStart: string
  readonly codexPath: string
  readonly codexVersion: string
  /** null for codex's default. */
  readonly codexHome: string | null
  /** ISO time. */
  readonly startedAt: string
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
  return record as unknown as AppServerRecord
}

export function appServerOf({ pid, start }: AppServerRecord): ProcessIdentity {
  return { pid, start }
}

export function ownerOf({ ownerPid, ownerStart }: AppServerRecord): ProcessIdentity {
  return { pid: ownerPid, start: ownerStart }
}

function parse(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>
  } catch {
    return {}
  }
}
