import { DrawbridgeError } from '../../codex/index.ts'

export type MachineErrorCode =
  | 'not-found'
  | 'exists'
  | 'not-permitted'
  | 'too-large'
  | 'file-failed'
  /** There is no such program there. */
  | 'program-missing'
  /** The folder that a command was to run in is not there. */
  | 'folder-missing'
  /** Its deadline came first. */
  | 'command-timed-out'
  /** It did not run to its end: the machine was restarted, or the command killed. */
  | 'command-killed'

/** A command could not be run, or a file not be used. Trouble with a connection is an `SshHostError`. */
export class MachineError extends DrawbridgeError {
  declare readonly code: MachineErrorCode

  constructor(code: MachineErrorCode, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, { code, cause: options.cause })
  }
}
