// Where an app-server listens. The system takes only short paths for a socket, so a deep data folder needs another place.
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { makePrivateFolder } from '../private-folder.ts'
import { removeFiles } from '../remove-files.ts'

/** 107 on Linux, 103 on macOS. */
const MAX_PATH_BYTES = 103
const SOCKET_NAME = /^[0-9a-f]{16}\.sock$/

/** The folder for the sockets of one service, made and found to be private; throws when it is not. */
export function socketFolder(dataDir: string, options: { env: NodeJS.ProcessEnv }): string {
  const [parents, folder] = placesFor(dataDir, options.env).find(([, place]) => fits(place))!
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  for (const place of [...parents, folder]) makePrivateFolder(place)
  return folder
}

export function socketPath(folder: string, id: string): string {
  return path.join(folder, `${id.slice(0, 16)}.sock`)
}

/** Removes the sockets that nobody wrote down. */
export function removeStraySockets(folder: string, known: readonly string[]): void {
  for (const name of readdirSync(folder).filter((entry) => SOCKET_NAME.test(entry))) {
    const file = path.join(folder, name)
    if (!known.includes(file)) removeFiles(file)
  }
}

/** In order of preference, each with the folders above it that are ours to make. The last always fits. */
function placesFor(dataDir: string, env: NodeJS.ProcessEnv): [parents: string[], folder: string][] {
  const name = createHash('sha256').update(dataDir).digest('hex').slice(0, 12)
  const user = `drawbridge-${process.getuid?.() ?? 0}`
  const runtime = env.XDG_RUNTIME_DIR
  const shared = [tmpdir(), '/tmp'].map((tmp): [string[], string] => {
    const ours = path.join(tmp, user)
    return [[ours], path.join(ours, name)]
  })
  const ofSystem: [string[], string][] =
    runtime && path.isAbsolute(runtime) ? [[[], path.join(runtime, `drawbridge-${name}`)]] : []
  return [[[], path.join(dataDir, 'sockets')], ...ofSystem, ...shared]
}

function fits(folder: string): boolean {
  return Buffer.byteLength(socketPath(folder, '0'.repeat(32))) <= MAX_PATH_BYTES
}
