import { randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'vitest'
import {
  type Codex,
  type CodexNotification,
  type CodexOptions,
  type Incident,
  openCodex,
  type Turn,
} from '../../src/codex/index.ts'
import { type LocalHostOptions, localHost } from '../../src/hosts/index.ts'
import { FASTER_NODE, identityOf, processesTagged, TAG_VARIABLE } from './processes.ts'

/** A local host with a registry of its own. When it is disposed of, nothing it has started may be left. */
export class WatchedHost implements AsyncDisposable {
  readonly tag = randomUUID()
  readonly registryDir = mkdtempSync(path.join(tmpdir(), 'faults-'))
  readonly incidents: Incident[] = []
  readonly hostOptions: LocalHostOptions
  readonly #opened: { codex: Codex; identity: string | null }[] = []

  constructor(hostOptions: LocalHostOptions) {
    const extraEnv = { [TAG_VARIABLE]: this.tag, ...FASTER_NODE }
    this.hostOptions = { registryDir: this.registryDir, extraEnv, ...hostOptions }
  }

  async open(options: CodexOptions = {}): Promise<Codex> {
    const codex = await openCodex(localHost(this.hostOptions), {
      onIncident: (incident) => this.incidents.push(incident),
      ...options,
    })
    this.#opened.push({ codex, identity: identityOf(codex.pid!) })
    return codex
  }

  /** Nothing runs any more: not the app-servers, not what they started; and none is on record. */
  expectNothingLeft(): void {
    expect(processesTagged(this.tag)).toEqual([])
    for (const { codex, identity } of this.#opened)
      expect(identity === null || identityOf(codex.pid!) !== identity).toBe(true)
    expect(readdirSync(this.registryDir)).toEqual([])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      for (const { codex } of this.#opened) await codex.close()
      this.expectNothingLeft()
    } finally {
      await this.release()
      rmSync(this.registryDir, { recursive: true, force: true })
    }
  }

  /** Called last: what else was made for the test. */
  protected async release(): Promise<void> {}
}

/** Resolves when the client hears the next notification of this method. */
export function heard(codex: Codex, method: string): Promise<CodexNotification> {
  return new Promise((resolve) => {
    const stop = codex.subscribe((notification) => {
      if (notification.method !== method) return
      stop()
      resolve(notification)
    })
  })
}

/** Every notification of the turn, and the error that ended the iteration, if one did. */
export async function iterated(turn: Turn): Promise<{ events: CodexNotification[]; error: unknown }> {
  const events: CodexNotification[] = []
  try {
    for await (const event of turn) events.push(event)
    return { events, error: null }
  } catch (error) {
    return { events, error }
  }
}
