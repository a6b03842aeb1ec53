// What a script told of the command that it ran.
import { type Command, type CommandEnd, MachineError, type StreamedCommand } from '../../machine/index.ts'

export interface Answer {
  readonly end: CommandEnd
  /** Why the command could not begin, or `none`. */
  readonly problem: string
}

export function endIn(bytes: Buffer, { maxBytes }: Pick<Command, 'maxBytes'>): Answer {
  const lineEnd = bytes.indexOf('\n')
  const [code, problem = '', errors] = bytes.subarray(0, lineEnd).toString('latin1').split(' ')
  const outAt = lineEnd + 1 + Number(errors)
  const stderr = bytes
    .subarray(lineEnd + 1, outAt)
    .toString('utf8')
    .trim()
  const stdout = bytes.subarray(outAt, maxBytes === undefined ? undefined : outAt + maxBytes)
  return {
    problem,
    end: { exitCode: Number(code), stdout, stderr, isCut: bytes.length > outAt + stdout.length },
  }
}

interface Asked extends Pick<StreamedCommand, 'program' | 'cwd'> {
  readonly inputFile?: string | undefined
  readonly outputFile?: string | undefined
}

export function problemIn(problem: string, asked: Asked, host: string): MachineError | null {
  if (problem === 'none') return null
  if (problem === 'folder') return new MachineError('folder-missing', `${asked.cwd} is not there on ${host}`)
  if (problem === 'input')
    return new MachineError('not-found', `${asked.inputFile} cannot be read on ${host}`)
  if (problem === 'output')
    return new MachineError('file-failed', `${asked.outputFile} cannot be written on ${host}`)
  return new MachineError('program-missing', `there is no ${asked.program} on ${host}`)
}

export function killed(host: string): MachineError {
  const message = `a command on ${host} was killed before it ended: was the host started again?`
  return new MachineError('command-killed', message)
}
