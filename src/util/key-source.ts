// A key that what is stored is sealed with: a file in the data folder, a variable, or what a command prints.
import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { closeSync, constants, fsyncSync, writeSync } from 'node:fs'
import path from 'node:path'
import { openOwnFile, readOwnFile } from './open-own-file.ts'

/** Where the key is. A file is made when it is first needed. */
export type KeySource =
  | { readonly from: 'file' }
  | { readonly from: 'variable'; readonly name: string; readonly value: string | undefined }
  | { readonly from: 'command'; readonly command: readonly string[] }

const KEY_BYTES = 32
/** What a command prints beyond that is no key. */
const MAX_OUTPUT = 4096
const COMMAND_MS = 30_000

export interface KeyPlace {
  /** Where it is when it is a file. */
  readonly file: string
  /** Nothing is sealed yet, so a new key loses nothing. Only a file is made. */
  readonly mayMake: boolean
  /** What is to be done when the file is missing and may not be made. */
  readonly whenMissing: string
  /** What is thrown, by why. */
  readonly fail: (why: string) => Error
  readonly commandMs?: number | undefined
}

export async function readKey(source: KeySource, place: KeyPlace): Promise<Buffer> {
  const { fail, commandMs = COMMAND_MS } = place
  if (source.from === 'file') return fileKey(place)
  if (source.from === 'variable') {
    if (!source.value) throw fail(`the variable ${source.name} is not set`)
    return keyOf(source.value, { place: `the variable ${source.name}`, fail })
  }
  const name = path.basename(source.command[0]!)
  const printed = await printedBy(source.command, { name, timeoutMs: commandMs, fail })
  return keyOf(printed, { place: `the command ${name}`, fail })
}

/** Its output, and the arguments, may be secret: no error has them. One that hangs is killed with all it started. */
function printedBy(
  [program, ...args]: readonly string[],
  {
    name,
    timeoutMs,
    fail: failed,
  }: { readonly name: string; readonly timeoutMs: number; readonly fail: KeyPlace['fail'] },
): Promise<string> {
  const child = spawn(program!, args, { stdio: ['ignore', 'pipe', 'ignore'], detached: true })
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const fail = (why: string) => {
    kill(child.pid)
    // What it started may hold the pipe open.
    child.stdout.destroy()
    reject(failed(`the command ${name} ${why}`))
  }
  const timer = setTimeout(() => fail(`did not end in ${timeoutMs / 1000} s`), timeoutMs)
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text
    if (printed.length > MAX_OUTPUT) fail('prints more than a key')
  })
  child.on('error', () => fail('could not be started'))
  child.on('close', (code) => (code === 0 ? resolve(printed) : fail(`failed`)))
  return promise.finally(() => clearTimeout(timer))
}

function kill(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {} // it has ended
}

function fileKey({ file, mayMake, whenMissing, fail }: KeyPlace): Buffer {
  try {
    return keyOf(readOwnFile(file), { place: file, fail })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  if (!mayMake) throw fail(`${file} is missing${whenMissing}`)
  const descriptor = openOwnFile(file, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL)
  const key = randomBytes(KEY_BYTES)
  try {
    writeSync(descriptor, `${key.toString('base64url')}\n`)
    // Before anything is sealed with it.
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  return key
}

/** 32 bytes as base64 or hex are the key; of any other word of some length, its hash. A message is none. */
function keyOf(text: string, { place, fail }: { readonly place: string } & Pick<KeyPlace, 'fail'>): Buffer {
  const trimmed = text.trim()
  if (/^[0-9a-f]{64}$/i.test(trimmed)) return Buffer.from(trimmed, 'hex')
  if (/^[A-Za-z0-9+/_-]{43}=?$/.test(trimmed)) return Buffer.from(trimmed, 'base64url')
  if (trimmed.length < KEY_BYTES)
    throw fail(`${place} is too short: 32 random bytes are needed, as \`openssl rand -base64 32\` makes them`)
  if (!/^[!-~]+$/.test(trimmed))
    throw fail(`${place} is not one word in ASCII: it looks like a message rather than a key`)
  return createHash('sha256').update(trimmed).digest()
}
