// What a script told of the command that it ran.
import { type CommandEnd, MachineError, type StreamedCommand } from '../../machine/index.ts'

export interface Answer {
  readonly end: CommandEnd
  /** Why the command could not begin, or `none`. */
  readonly problem: string
}

export function endIn(bytes: Buffer): Answer {
  const lineEnd = bytes.indexOf('\n')
  const [code, problem = '', ...counts] = bytes.subarray(0, lineEnd).toString('latin1').split(' ')
  const [all = 0, sent = 0, errors = 0] = counts.map(Number)
  const body = bytes.subarray(lineEnd + 1)
  const stdout = body.subarray(0, sent)
  const stderr = body
    .subarray(sent, sent + errors)
    .toString('utf8')
    .trim()
  return { problem, end: { exitCode: Number(code), stdout, stderr, isCut: all > sent } }
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
