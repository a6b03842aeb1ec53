// One machine as the rooms above see it: this one, or a host over ssh. Commands and files work the same on both, so code that
// is written against `Machine` works wherever a task works.
//
//   const here = localMachine({ env, hidden: dataDir, work: root })
//   const there = (await hosts.get('build')).machine          // of an `SshHost`
//
//   const { exitCode, stdout } = await machine.run({ program: 'git', args: ['status'], cwd: folder })
//   const pack = await machine.open({ program: 'tar', args: ['-cf', '-', '.'], cwd: folder })  // streams, with backpressure
//   pack.stdin.end(); await pipeline(pack.stdout, file); const { exitCode } = await pack.ended
//   await machine.files.write(place, bytes)                    // whole or not at all
//
// Nothing is read by a shell: program, arguments, names and variables may be any bytes but NUL. On a host nothing but POSIX sh
// and its usual commands is needed.
//
// What a cut does: `run` and all of `files` happen exactly once on a host. A command starts when all of its input is there, goes
// on when the connection is cut, and its end is fetched over the next connection. When no connection comes, the call rejects
// with `retryable`, and the next call to this machine, also by the next service, first waits for what still runs there.
// `open` is different: a cut ends the command, wherever it was. Write to a place of its own, and rename it when all is there.
import type { Readable, Writable } from 'node:stream'

export interface Machine {
  /** The name of the host; null: this machine. */
  readonly host: string | null
  readonly files: MachineFiles
  /** Rejects when the command could not be run, or was aborted. What it ended with is the caller's to judge. */
  run(command: Command): Promise<CommandEnd>
  /** The streams have to be used: `stdin` ended, `stdout` read to its end. */
  open(command: StreamedCommand): Promise<RunningCommand>
  /** Made when they are not there. */
  folders(): Promise<MachineFolders>
}

export interface MachineFolders {
  /** Of the user that commands run as; null where the environment names none. */
  readonly home: string | null
  /** For what is ours. Commands of tasks cannot read it. */
  readonly hidden: string
  /** For what tasks work on. */
  readonly work: string
}

export interface StreamedCommand {
  /** Looked up on the PATH of that machine. */
  readonly program: string
  readonly args?: readonly string[] | undefined
  /** Absolute. Default: `/`. */
  readonly cwd?: string | undefined
  /** Beside those of `inherit`, the command sees exactly these variables. */
  readonly env?: Readonly<Record<string, string>> | undefined
  /** Names of variables of that machine that the command sees. Default: `BASIC_VARIABLES`. */
  readonly inherit?: readonly string[] | undefined
  /** Ends the command. */
  readonly signal?: AbortSignal | undefined
}

export interface Command extends StreamedCommand {
  readonly input?: string | Buffer | undefined
  /** A file of that machine, in place of `input`. */
  readonly inputFile?: string | undefined
  /** stdout goes to this file of that machine, which is made or emptied, and not to the caller. */
  readonly outputFile?: string | undefined
  /** Of stdout; what is longer is cut, and `isCut` says so. Default: all of it. */
  readonly maxBytes?: number | undefined
  /** The command is ended after this long. Default: none here, half an hour on a host. */
  readonly timeoutMs?: number | undefined
}

export interface CommandEnd {
  /** -1: a signal ended it. */
  readonly exitCode: number
  readonly stdout: Buffer
  /** Its beginning. */
  readonly stderr: string
  readonly isCut: boolean
}

export interface RunningCommand {
  readonly stdin: Writable
  readonly stdout: Readable
  /** Rejects when the connection was cut, or the command aborted. */
  readonly ended: Promise<{ readonly exitCode: number; readonly stderr: string }>
}

export type EntryKind = 'file' | 'folder' | 'link' | 'other'

export interface EntryFacts {
  readonly kind: EntryKind
  readonly bytes: number
  /** How many names the file has. */
  readonly links: number
  /** Permission bits. */
  readonly mode: number
}

/**
 * Absolute paths of that machine. What fails rejects with a `MachineError`: `not-found`, `exists`, `not-permitted`, or
 * `file-failed` with what the machine said.
 */
export interface MachineFiles {
  /** Of the entry itself; a link is not followed. null: there is none. */
  lstat(place: string): Promise<EntryFacts | null>
  /** Of what it leads to. */
  stat(place: string): Promise<EntryFacts | null>
  /** null: it leads nowhere. */
  realPath(place: string): Promise<string | null>
  /** Only a regular file, links not followed unless asked. `too-large` when it is longer than `maxBytes`. */
  read(place: string, options: { readonly maxBytes: number; readonly follow?: boolean }): Promise<Buffer>
  /** In one step, in place of what was there. `mode` default: 600. */
  write(place: string, bytes: string | Buffer, options?: { readonly mode?: number }): Promise<void>
  /** Where something is already, that stays: `exists`. */
  create(place: string, bytes: string | Buffer): Promise<void>
  /** The bytes of a regular file; `exclusive`: rejects with `exists` where something is already. */
  copy(from: string, to: string, options?: { readonly exclusive?: boolean }): Promise<void>
  /** With those above it; one that is there is fine. `only`: just this one, and `exists` when it is there. */
  mkdir(place: string, options?: { readonly only?: boolean; readonly mode?: number }): Promise<void>
  /** In one step; a folder in the way: `exists`. A file in the way is replaced. */
  rename(from: string, to: string): Promise<void>
  /** With all that is in it. Nothing there is fine. */
  remove(place: string): Promise<void>
  /** Empty for one that is not there. */
  list(folder: string): Promise<readonly { readonly name: string; readonly kind: EntryKind }[]>
}

/** What most programs need. */
export const BASIC_VARIABLES: readonly string[] = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'TMPDIR', 'XDG_CONFIG_HOME'],
  ...['USERPROFILE', 'TEMP', 'SystemRoot'],
]
