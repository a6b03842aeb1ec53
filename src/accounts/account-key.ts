// The key that stored logins are sealed with: a file in the data folder, a variable, or what a command prints.
import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { closeSync, constants, fsyncSync, writeSync } from 'node:fs'
import path from 'node:path'
import { openOwnFile, readOwnFile } from '../util/open-own-file.ts'
import { AccountError } from './account-error.ts'

/** Where the key is. A file is made when the first account is added. */
export type KeySource =
  | { readonly from: 'file' }
  | { readonly from: 'variable'; readonly name: string; readonly value: string | undefined }
  | { readonly from: 'command'; readonly command: readonly string[] }

const KEY_BYTES = 32
/** What a command prints beyond that is no key. */
const MAX_OUTPUT = 4096
const COMMAND_MS = 30_000

export function keyFile(dataDir: string): string {
  return path.join(dataDir, 'account-key')
}

/** `mayMake`: nothing is sealed yet, so a new key loses nothing. Only a file is made. */
export async function readAccountKey(
  source: KeySource,
  {
    dataDir,
    mayMake,
    commandMs = COMMAND_MS,
  }: { readonly dataDir: string; readonly mayMake: boolean; readonly commandMs?: number },
): Promise<Buffer> {
  if (source.from === 'file') return fileKey(keyFile(dataDir), mayMake)
  if (source.from === 'variable') {
    if (!source.value) throw badKey(`the variable ${source.name} is not set`)
    return keyOf(source.value, `the variable ${source.name}`)
  }
  const name = path.basename(source.command[0]!)
  return keyOf(await printedBy(source.command, { name, timeoutMs: commandMs }), `the command ${name}`)
}

/** Its output, and the arguments, may be secret: no error has them. One that hangs is killed with all it started. */
function printedBy(
  [program, ...args]: readonly string[],
  { name, timeoutMs }: { readonly name: string; readonly timeoutMs: number },
): Promise<string> {
  const child = spawn(program!, args, { stdio: ['ignore', 'pipe', 'ignore'], detached: true })
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const fail = (why: string) => {
    kill(child.pid)
    // What it started may hold the pipe open.
    child.stdout.destroy()
    reject(badKey(`the command ${name} ${why}`))
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

function fileKey(file: string, mayMake: boolean): Buffer {
  try {
    return keyOf(readOwnFile(file), file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  if (!mayMake)
    throw badKey(
      `${file} is missing, and there are logins that were sealed with it: put it back from a backup, or remove those accounts`,
    )
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
function keyOf(text: string, place: string): Buffer {
  const trimmed = text.trim()
  if (/^[0-9a-f]{64}$/i.test(trimmed)) return Buffer.from(trimmed, 'hex')
  if (/^[A-Za-z0-9+/_-]{43}=?$/.test(trimmed)) return Buffer.from(trimmed, 'base64url')
  if (trimmed.length < KEY_BYTES)
    throw badKey(
      `${place} is too short: 32 random bytes are needed, as \`openssl rand -base64 32\` makes them`,
    )
  if (!/^[!-~]+$/.test(trimmed))
    throw badKey(`${place} is not one word in ASCII: it looks like a message rather than a key`)
  return createHash('sha256').update(trimmed).digest()
}

function badKey(why: string): AccountError {
  return new AccountError('account-key', `the key for stored logins cannot be had: ${why}`)
}
