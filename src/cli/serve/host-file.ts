// A file of a task on a host, opened for handing over. As on this machine: what is checked is what was opened.
import path from 'node:path'
import type { Machine } from '../../hosts/index.ts'
import type { HandedFile } from '../../tools/index.ts'

type OpenedThere = Pick<HandedFile, 'path' | 'bytes' | 'read'> & { close(): Promise<void> }

interface Options {
  readonly folder: string
  /** Where it must be besides, should the folder become a link. null: anywhere in it. */
  readonly within: readonly string[] | null
  /** As `protectedPaths` in the settings. */
  readonly protect: readonly string[]
  readonly maxBytes: number
}

/**
 * The name is compared with what the descriptor leads to, so that no link can be put in its place meanwhile. What the file was
 * when it was opened it has to be when it was read.
 */
const READ = `
exec 3< "$1" || exit 4
real=$(readlink "/proc/$$/fd/3" && echo x) || exit 5
[ "$real" = "$1
x" ] || exit 6
facts() { stat -L -c '%d %i %s %y %h' "/proc/$$/fd/3" 2>/dev/null || ls -lnL "/proc/$$/fd/3"; }
before=$(facts)
cat <&3 || exit 7
[ "$(facts)" = "$before" ] || exit 7
`

export async function openOnHost(machine: Machine, named: string, options: Options): Promise<OpenedThere> {
  const { folder, maxBytes } = options
  if (named === '' || named.includes('\0')) throw new Error('say which file: path is empty or broken')
  const root = await machine.files.realPath(folder)
  const real = await machine.files.realPath(path.posix.resolve(folder, named))
  const way = root === null || real === null ? '..' : path.posix.relative(root, real)
  const isIn = way !== '' && way !== '..' && !way.startsWith('../')
  if (real === null || !isIn || (options.within && !(await isBelowOne(machine, real, options.within))))
    throw new Error(`there is no file ${named} in the folder of the task: copy it there first`)
  const facts = await machine.files.stat(real)
  if (facts?.kind !== 'file') throw new Error(`${named} is not a plain file: pack a folder into one first`)
  // Of another name of it there is no telling whether that is a file with logins.
  if (facts.links > 1) throw new Error(`${named} is a hard link: copy it first, and deliver the copy`)
  if (await isProtected(machine, real, options.protect))
    throw new Error(`${named} is a file with logins or private data: it is not handed over`)
  if (facts.bytes > maxBytes)
    throw new Error(`${named} has ${facts.bytes} bytes: at most ${maxBytes} can be handed over`)
  const ending = new AbortController()
  return {
    path: way,
    bytes: facts.bytes,
    read: () => readThere(machine, { named, real, bytes: facts.bytes, signal: ending.signal }),
    close: async () => ending.abort(),
  }
}

async function* readThere(
  machine: Machine,
  { named, real, bytes, signal }: { named: string; real: string; bytes: number; signal: AbortSignal },
): AsyncGenerator<Uint8Array> {
  const { stdin, stdout, ended } = await machine.open({
    program: 'sh',
    args: ['-c', READ, 'sh', real],
    signal,
  })
  ended.catch(() => {})
  stdin.end()
  let size = 0
  for await (const chunk of stdout as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength
    if (size > bytes) throw changed(named)
    yield chunk
  }
  const { exitCode } = await ended
  if (exitCode === 5)
    throw new Error(
      `${named} cannot be read safely there: the host has no /proc, which is needed to hand files over`,
    )
  if (exitCode === 4) throw new Error(`${named} cannot be opened there: check its permissions`)
  if (exitCode !== 0 || size !== bytes) throw changed(named)
}

function changed(named: string): Error {
  return new Error(`${named} was changed while it was copied: try again when it is finished`)
}

async function isBelowOne(machine: Machine, real: string, folders: readonly string[]): Promise<boolean> {
  for (const each of folders) {
    const place = await machine.files.realPath(each)
    if (place !== null && isAtOrBelow(place, real)) return true
  }
  return false
}

function isAtOrBelow(place: string, real: string): boolean {
  const way = path.posix.relative(place, real)
  return way === '' || (way !== '..' && !way.startsWith('../'))
}

const LOGIN = /(?:^|\/)\.codex\/(?:auth|\.credentials)\.json$/

async function isProtected(machine: Machine, real: string, protect: readonly string[]): Promise<boolean> {
  if (LOGIN.test(real)) return true
  const { home, hidden } = await machine.folders()
  const there = [
    hidden,
    ...protect.flatMap((each) => placeThere(each, home)),
    ...placeThere('~/.codex', home),
  ]
  for (const each of there) {
    const place = (await machine.files.realPath(each)) ?? each
    if (isAtOrBelow(place, real)) return true
  }
  return false
}

/** Variables are those of this machine, and say nothing of another. */
function placeThere(entry: string, home: string | null): string[] {
  if (entry.startsWith('~/')) return home === null ? [] : [path.posix.join(home, entry.slice(2))]
  return path.posix.isAbsolute(entry) ? [entry] : []
}
