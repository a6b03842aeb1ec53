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
import { type FakeCodex, type FakeScript, fakeCodex } from '../../src/testing/index.ts'
import { identityOf, processesTagged, TAG_VARIABLE } from './processes.ts'

interface Options {
  readonly codex?: CodexOptions
  readonly host?: LocalHostOptions
}

/** A fake codex and the host that starts it. When it is disposed of, nothing it has started may be left. */
export class FakeHost implements AsyncDisposable {
  readonly program: FakeCodex
  readonly tag = randomUUID()
  readonly registryDir = mkdtempSync(path.join(tmpdir(), 'faults-'))
  readonly incidents: Incident[] = []
  readonly #options: Options
  readonly #opened: { codex: Codex; identity: string | null }[] = []

  constructor(program: FakeCodex, options: Options) {
    this.program = program
    this.#options = options
  }

  async open(options: CodexOptions = {}): Promise<Codex> {
    const host = localHost({
      codexPath: this.program.path,
      registryDir: this.registryDir,
      extraEnv: { [TAG_VARIABLE]: this.tag },
      ...this.#options.host,
    })
    const codex = await openCodex(host, {
      onIncident: (incident) => this.incidents.push(incident),
      ...this.#options.codex,
      ...options,
    })
    this.#opened.push({ codex, identity: identityOf(codex.pid!) })
    return codex
  }

  /** The pid of the last child the fake has started. */
  async childPid(): Promise<number> {
    const started = await this.program.waitFor(({ event }) => event === 'childStarted')
    return started.event === 'childStarted' ? started.childPid : 0
  }

  /** What the fake was answered when it asked under this id. */
  async answerTo(id: string | number): Promise<unknown> {
    const isAnswer = (message: { id?: unknown; method?: unknown }) => message.id === id && !message.method
    const { message } = (await this.program.waitFor(
      (event) => event.event === 'received' && isAnswer(event.message),
    )) as {
      message: { result?: unknown; error?: unknown }
    }
    return message.result === undefined ? { error: message.error } : message.result
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
      await this.program.remove()
      rmSync(this.registryDir, { recursive: true, force: true })
    }
  }
}

export async function fakeHost(
  script: FakeScript | readonly FakeScript[] = {},
  options: Options = {},
): Promise<FakeHost> {
  return new FakeHost(await fakeCodex(script), options)
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
