// What happened to a fake app-server, one JSON line each. The program writes, the test reads.
import { appendFileSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { FakeMessage } from './script.ts'

export type FakeEvent =
  | {
      readonly event: 'started'
      readonly pid: number
      readonly args: readonly string[]
      readonly cwd: string
    }
  | { readonly event: 'received'; readonly pid: number; readonly message: FakeMessage }
  | { readonly event: 'garbage'; readonly pid: number; readonly text: string }
  | { readonly event: 'childStarted'; readonly pid: number; readonly childPid: number }
  | { readonly event: 'signal'; readonly pid: number; readonly signal: string }
  | { readonly event: 'stdinEnded'; readonly pid: number }

export function journalFile(folder: string): string {
  return path.join(folder, 'journal.jsonl')
}

export function appendEvent(folder: string, event: FakeEvent): void {
  appendFileSync(journalFile(folder), `${JSON.stringify(event)}\n`)
}

export function readEvents(folder: string): FakeEvent[] {
  const lines = readFileSync(journalFile(folder), 'utf8').split('\n')
  // The last piece is empty, or a line still being written.
  return lines.slice(0, -1).map((line) => JSON.parse(line) as FakeEvent)
}
