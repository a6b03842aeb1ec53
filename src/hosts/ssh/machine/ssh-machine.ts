// A host as a machine that commands run on and that has files. A command that was begun there has a name until its end has
// arrived here: no cut loses it, or has it run twice.
import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { hasCode } from '../../../codex/index.ts'
import {
  BASIC_VARIABLES,
  type Command,
  type CommandEnd,
  type Machine,
  MachineError,
  type MachineFiles,
  type MachineFolders,
  type RunningCommand,
  type StreamedCommand,
} from '../../machine/index.ts'
import type { SshConnection } from '../connection.ts'
import type { SessionEnd } from '../session.ts'
import { told, valueNamed } from '../shell.ts'
import { SshHostError } from '../ssh-host-error.ts'
import { diedHalfWay } from '../whole-answer.ts'
import { type Answer, endIn, killed, problemIn } from './command-end.ts'
import { machineFiles } from './machine-files.ts'
import {
  commandFile,
  ENDS,
  type Epoch,
  foldersText,
  runText,
  type SettleValues,
  settleText,
  streamText,
} from './scripts.ts'
import { SentScripts } from './sent-scripts.ts'

const RUN_MS = 1_800_000
const CONNECT_MS = 20_000
const PAUSE_MS = 200
const SETTLE_MS = 60_000
/** A look at a file. */
const ASK_MS = 60_000
/** A command that is given up is asked to end for so long. */
const GIVE_UP_MS = 10_000
/** Files of so many ends that have arrived are removed together. */
const REMOVED_AT_ONCE = 16

export class SshMachine implements Machine {
  readonly host: string
  readonly files: MachineFiles
  readonly #connection: SshConnection
  readonly #scripts: SentScripts
  readonly #epoch: Epoch
  /** Their ends are here: the next script removes what is left of them. */
  readonly #ended: string[] = []
  /** What became of them is not known. */
  readonly #unsettled = new Set<string>()
  #earlier: Promise<void> | null = null
  #folders: Promise<MachineFolders> | null = null

  constructor(connection: SshConnection, { host, owner }: { host: string; owner: string }) {
    this.#connection = connection
    this.#scripts = new SentScripts(connection, host)
    this.host = host
    this.#epoch = { owner, epoch: newName() }
    const ask = async (text: string) => {
      await this.#settle()
      return this.#scripts.send(text, { timeoutMs: ASK_MS })
    }
    this.files = machineFiles({ ask, run: (command) => this.run(command) })
  }

  async run(command: Command): Promise<CommandEnd> {
    const file = fileOf(command)
    await this.#settle(command.signal)
    const name = newName()
    const { end, problem } = await this.#held(name, command, this.#begin(name, file, command)).catch(
      (error) => {
        this.#unsettled.add(name)
        throw error
      },
    )
    this.#ended.push(name)
    const failed = problemIn(problem, command, this.host)
    if (failed) throw failed
    return end
  }

  async open(command: StreamedCommand): Promise<RunningCommand> {
    const { signal } = command
    const file = fileOf(command)
    await this.#settle(signal)
    const name = newName()
    const limit = this.#scripts.limit(CONNECT_MS, signal)
    const text = streamText({ ...this.#epoch, name, command: file })
    const session = await this.#connection.session(text, { kind: 'stream', signal: limit }).catch((error) => {
      signal?.throwIfAborted()
      throw limit.aborted ? this.#scripts.away() : error
    })
    const aborted = Promise.withResolvers<never>()
    aborted.promise.catch(() => {})
    const onAbort = () => {
      session.drop()
      // A command that neither reads nor writes keeps its session open: the next script for this machine ends it.
      aborted.reject(signal?.reason)
    }
    signal?.addEventListener('abort', onAbort, { once: true })
    const ended = Promise.race([session.ended, aborted.promise])
      .then((end) => this.#streamEnd(end, command))
      .catch((error: unknown) => {
        this.#unsettled.add(name)
        signal?.throwIfAborted()
        throw error
      })
      .finally(() => signal?.removeEventListener('abort', onAbort))
    ended.catch(() => {})
    return { stdin: session.stdin, stdout: session.stdout, ended }
  }

  folders(): Promise<MachineFolders> {
    this.#folders ??= this.#askFolders().catch((error) => {
      this.#folders = null
      throw error
    })
    return this.#folders
  }

  async #askFolders(): Promise<MachineFolders> {
    await this.#settle()
    const end = await this.#scripts.send(foldersText(this.#epoch), { timeoutMs: ASK_MS })
    const said = told(end.stdout)
    const [home, hidden, work] = ['home', 'hidden', 'work'].map((name) => valueNamed(said, name))
    if (end.status === 0 && hidden?.startsWith('/') && work?.startsWith('/'))
      return { home: home || null, hidden, work }
    throw this.#noRoom(end.stderr)
  }

  #streamEnd({ status, stderr }: SessionEnd, command: StreamedCommand): { exitCode: number; stderr: string } {
    if (status !== 0) throw this.#failure(status, stderr)
    const [line = '', ...rest] = stderr.split('\n')
    const [code, problem = ''] = line.split(' ')
    const failed = problemIn(problem, command, this.host)
    if (failed) throw failed
    return { exitCode: Number(code), stderr: rest.join('\n').trim() }
  }

  async #begin(name: string, file: string, { input, ...given }: Command): Promise<Answer> {
    const bytes = input === undefined ? null : Buffer.from(input)
    const { inputFile = null, outputFile = null, maxBytes = null, signal } = given
    const isTime = this.#ended.length >= REMOVED_AT_ONCE
    const settled = isTime ? this.#ended.splice(0, REMOVED_AT_ONCE) : []
    const text = runText({
      ...{ ...this.#epoch, name, command: file, settled, inputFile, outputFile },
      ...{ inputBytes: bytes?.length ?? null, maxBytes },
    })
    const end = await this.#scripts.send(text, { bytes, isAct: true, signal })
    if (end.status !== 0) throw this.#failure(end.status, end.stderr)
    return endIn(end.stdout, given)
  }

  /** Who gives up waiting for it has it ended first. */
  async #held(name: string, { signal, timeoutMs = RUN_MS, program }: Command, ended: Promise<Answer>) {
    ended.catch(() => {})
    const { promise: given, reject } = Promise.withResolvers<never>()
    let why: unknown = null
    const giveUp = (how: 'TERM' | 'KILL', reason: unknown) => {
      why = reason
      const limit = AbortSignal.timeout(GIVE_UP_MS)
      const end = this.#end({ ...this.#epoch, names: [name], how }, limit)
      void end.catch(() => {}).finally(() => reject(reason))
    }
    const late = () => new MachineError('command-timed-out', `${program} took longer than ${timeoutMs} ms`)
    const timer = setTimeout(() => giveUp('KILL', late()), this.#connection.deadline(timeoutMs))
    const onAbort = () => giveUp('TERM', signal?.reason)
    signal?.addEventListener('abort', onAbort, { once: true })
    try {
      const answer = await Promise.race([ended, given])
      if (why !== null) throw why
      return answer
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    }
  }

  /** Nothing of before runs there any more: neither what an earlier service began, nor what a cut took from us. */
  async #settle(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted()
    this.#earlier ??= this.#end({ ...this.#epoch, names: null, how: null }).catch((error) => {
      this.#earlier = null
      throw error
    })
    await this.#earlier
    const names = [...this.#unsettled]
    if (names.length === 0) return
    await this.#end({ ...this.#epoch, names, how: null })
    for (const name of names) this.#unsettled.delete(name)
  }

  async #end(values: SettleValues, signal = this.#scripts.limit(SETTLE_MS)): Promise<void> {
    const script = { text: settleText(values), timeoutMs: SETTLE_MS, isRepeatable: true, signal }
    try {
      const end = await this.#connection.run(script)
      if (end.status !== 0) throw this.#failure(end.status, end.stderr)
    } catch (error) {
      if (signal.aborted) throw this.#scripts.away()
      if (!hasCode(error, 'ssh-cut')) throw error
      await delay(PAUSE_MS)
      await this.#end(values, signal)
    }
  }

  #failure(status: number, stderr: string): Error {
    if (status === ENDS.killed) return killed(this.host)
    if (status === ENDS.noRoom) return this.#noRoom(stderr)
    return diedHalfWay({ status, stderr, stdout: Buffer.alloc(0) }, this.host)
  }

  #noRoom(stderr: string): SshHostError {
    const message = `what is needed on ${this.host} cannot be kept there: ${stderr.trim() || 'it said nothing'}`
    const hint = 'make room there, and let its user write to ~/.local/state'
    return new SshHostError(message, { code: 'host-not-writable', host: this.host, hint })
  }
}

function newName(): string {
  return randomBytes(9).toString('hex')
}

function fileOf(command: Command): string {
  const { program, args = [], env = {}, cwd = '/', inherit = BASIC_VARIABLES } = command
  const words = [program, ...args]
  const odd = [...words, cwd, ...Object.entries(env).flat()].some((text) => text.includes('\0'))
  const names = [...Object.keys(env), ...inherit]
  if (odd || !names.every((name) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)))
    throw new MachineError(
      'file-failed',
      `${program} was given a word with a NUL in it, or a variable without a name`,
    )
  return commandFile({ inherit, env, cwd, words })
}
