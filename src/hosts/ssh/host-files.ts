// What we keep here about hosts, in the data folder: for our eyes only.
import { createHash, randomBytes } from 'node:crypto'
import { closeSync, constants, fsyncSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { makeFolder } from '../../util/make-folder.ts'
import { openOwnFile, readOwnFile } from '../../util/open-own-file.ts'
import type { SshHostSpec } from './ssh-target.ts'

/** Where a host is. Another place under the same name is another machine, and gets nothing of this one. */
type HostPlace = Pick<SshHostSpec, 'name' | 'destination' | 'jump'>

export interface HostSecrets {
  /** What the exec-server there asks for; the host itself only knows its checksum. */
  readonly token: string
  /** Our side of the way to it. */
  readonly port: number | null
}

export function sshFolder(dataDir: string): string {
  const folder = path.join(dataDir, 'ssh')
  makeFolder(folder)
  return folder
}

export function knownHostsFile(dataDir: string): string {
  return path.join(sshFolder(dataDir), 'known_hosts')
}

/** Tells our servers on a host from those of others who use it. */
export function ownerId(dataDir: string): string {
  const file = path.join(sshFolder(dataDir), 'owner')
  const known = read(file)?.trim()
  if (known && /^[0-9a-f]{16}$/.test(known)) return known
  const made = randomBytes(8).toString('hex')
  write(file, `${made}\n`)
  return made
}

/** New ones where there are none of this place. */
export function readSecrets(dataDir: string, host: HostPlace): HostSecrets {
  const kept = parse(read(secretsFile(dataDir, host)))
  const { token, port } = kept.place === placeOf(host) ? kept : {}
  const known = typeof token === 'string' && /^[0-9a-f]{64}$/.test(token) ? token : null
  return {
    token: known ?? randomBytes(32).toString('hex'),
    port: Number.isSafeInteger(port) ? (port as number) : null,
  }
}

export function writeSecrets(dataDir: string, host: HostPlace, { token, port }: HostSecrets): void {
  write(secretsFile(dataDir, host), `${JSON.stringify({ token, port, place: placeOf(host) })}\n`)
}

/** A machine that gets this name later gets another address here. */
export function removeSecrets(dataDir: string, host: Pick<HostPlace, 'name'>): void {
  rmSync(secretsFile(dataDir, host), { force: true })
}

function secretsFile(dataDir: string, { name }: Pick<HostPlace, 'name'>): string {
  return path.join(sshFolder(dataDir), `${name}.json`)
}

function placeOf({ destination, jump = null }: HostPlace): string {
  return createHash('sha256')
    .update(JSON.stringify([destination, jump]))
    .digest('hex')
}

function parse(text: string | null): Record<string, unknown> {
  try {
    return Object(JSON.parse(text ?? '{}')) as Record<string, unknown>
  } catch {
    return {}
  }
}

function read(file: string): string | null {
  try {
    return readOwnFile(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

function write(file: string, text: string): void {
  const descriptor = openOwnFile(`${file}.tmp`, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC)
  try {
    writeFileSync(descriptor, text)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  renameSync(`${file}.tmp`, file)
}
