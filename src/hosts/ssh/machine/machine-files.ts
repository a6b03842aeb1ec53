import {
  type Command,
  type CommandEnd,
  type EntryFacts,
  type EntryKind,
  MachineError,
  type MachineErrorCode,
  type MachineFiles,
} from '../../machine/index.ts'
import { quote } from '../shell.ts'
import { ASK, CHANGE, FILE_ENDS } from './file-scripts.ts'
import { inOneGo } from './in-one-go.ts'
import type { Sent } from './sent-scripts.ts'

/** Each is a word of the script. */
const MAX_ASKED = 100

interface Ways {
  readonly ask: (text: string) => Promise<Sent>
  readonly run: (command: Command) => Promise<CommandEnd>
}

export function machineFiles({ ask, run }: Ways): MachineFiles {
  const asked = async (script: string, ...args: string[]) => {
    const end = await ask(`set -- ${args.map(checked).map(quote).join(' ')}\n${script}`)
    if (end.status === 0) return end.stdout
    throw failure(end.status, { place: args[0]!, said: end.stderr })
  }
  const changed = async (script: string, args: readonly string[], input?: string | Buffer) => {
    const words = ['-c', script, 'sh', ...args.map(checked)]
    const { exitCode, stderr } = await run({ program: 'sh', args: words, input, inherit: ['PATH'] })
    if (exitCode !== 0) throw failure(exitCode, { place: args[0]!, said: stderr })
  }
  const orNull = (error: unknown): null => {
    if (error instanceof MachineError && error.code === 'not-found') return null
    throw error
  }
  const facts = (how: string) =>
    inOneGo(async (places) => factsIn(places, await asked(ASK.facts, how, ...places)), { atMost: MAX_ASKED })
  const [lstat, stat] = [facts('-ldn'), facts('-ldnL')]
  return {
    lstat: async (place) => orThrow(await lstat(checked(place))),
    stat: async (place) => orThrow(await stat(checked(place))),
    realPath: (place) => asked(ASK.real, place).then((said) => said.toString('utf8').slice(0, -2), orNull),
    read: async (place, { maxBytes, follow = false }) => {
      const bytes = await asked(ASK.read, place, String(maxBytes + 1), follow ? 'follow' : '')
      if (bytes.length <= maxBytes) return bytes
      throw new MachineError('too-large', `${place} is larger than ${maxBytes} bytes`)
    },
    write: (place, bytes, { mode = 0o600 } = {}) => changed(CHANGE.write, [place, mode.toString(8)], bytes),
    create: (place, bytes) => changed(CHANGE.create, [place], bytes),
    copy: (from, to, { exclusive = false } = {}) =>
      changed(CHANGE.copy, [from, to, exclusive ? 'exclusive' : '']),
    mkdir: (place, { only = false, mode = 0o700 } = {}) =>
      changed(CHANGE.mkdir, [place, mode.toString(8), only ? 'only' : '']),
    rename: (from, to) => changed(CHANGE.rename, [from, to]),
    remove: (place) => changed(CHANGE.remove, [place]),
    list: async (folder) => entriesIn(await asked(ASK.list, folder)),
  }
}

const KINDS: Readonly<Record<string, EntryKind>> = { '-': 'file', d: 'folder', l: 'link' }

function factsIn(places: readonly string[], said: Buffer): (EntryFacts | MachineError | null)[] {
  const records = said.toString('latin1').split('\0')
  return places.map((place, at) => {
    const record = records[at] ?? ''
    if (record === 'none') return null
    if (record === '' || record.startsWith('failed ')) return failure(36, { place, said: record.slice(7) })
    const [letters = '', links, bytes] = record.split(' ')
    const kind = KINDS[letters[0]!] ?? 'other'
    const size = kind === 'other' ? 0 : Number(bytes)
    return { kind, bytes: size, links: Number(links), mode: modeOf(letters) }
  })
}

function orThrow<T>(found: T | MachineError): T {
  if (found instanceof MachineError) throw found
  return found
}

/** Of `rwxr-s--T` and the like. */
function modeOf(letters: string): number {
  const [special, plain] = [[0o4000, 0o2000, 0o1000], 'rwxrwxrwx']
  let mode = 0
  for (const [at, usual] of [...plain].entries()) {
    const letter = letters[at + 1]!
    if (letter === usual || letter === 's' || letter === 't') mode |= 0o400 >> at
    if (/[sStT]/.test(letter)) mode |= special[Math.floor(at / 3)]!
  }
  return mode
}

function entriesIn(said: Buffer): { name: string; kind: EntryKind }[] {
  const records = said.toString('utf8').split('\0').slice(0, -1)
  return records.map((record) => {
    const at = record.indexOf(' ')
    return { kind: record.slice(0, at) as EntryKind, name: record.slice(at + 1) }
  })
}

function failure(status: number, { place, said }: { place: string; said: string }): MachineError {
  const known = (FILE_ENDS as Record<number, MachineErrorCode>)[status]
  const code = /permission denied|not permitted|read-only/i.test(said) ? 'not-permitted' : known
  return new MachineError(code ?? 'file-failed', `${place}: ${said.trim().split('\n').at(-1) || 'failed'}`)
}

function checked(arg: string): string {
  if (arg.includes('\0')) throw new MachineError('file-failed', 'no name has a NUL in it')
  return arg
}
