// What the system refused, in words that say what to do.
import { EXIT } from '../process/index.ts'

export interface SystemErrorText {
  readonly text: string
  readonly exitCode: number
}

/** null: it is not the system that said no. */
export function systemErrorText(error: unknown): SystemErrorText | null {
  if (!(error instanceof Error)) return null
  const system = error as NodeJS.ErrnoException & SystemFacts
  if (typeof system.code !== 'string') return null
  // SQLite looks at rights, locks and disks by itself.
  if (system.code === 'ERR_SQLITE_ERROR') return failed(`the database cannot be used: ${system.message}`)
  if (typeof system.errno !== 'number') return null
  return ofListening(system) ?? failed(ofFile(system))
}

interface SystemFacts {
  readonly code: string
  readonly address?: string
  readonly port?: number
  readonly hostname?: string
}

function failed(text: string): SystemErrorText {
  return { text, exitCode: EXIT.failed }
}

function ofListening({ code, syscall, address, port, hostname }: NodeJS.ErrnoException & SystemFacts) {
  const badHost = (text: string) => ({ text: `${text}: choose another with --host`, exitCode: EXIT.usage })
  if (syscall === 'getaddrinfo') return badHost(`there is no host ${hostname ?? ''} (${code})`)
  if (syscall !== 'listen') return null
  if (code === 'EADDRNOTAVAIL') return badHost(`this machine does not have the address ${address}`)
  if (code === 'EADDRINUSE')
    return failed(
      `port ${port} of ${address} is taken: choose another with --port; \`drawbridge status\` tells whether a service of yours has it`,
    )
  return code === 'EACCES'
    ? failed(`port ${port} is not for every user (${code}): choose one above 1023 with --port`)
    : null
}

/** By what the system calls it. */
const FILE_TROUBLE: Readonly<Record<string, (path: string) => string>> = {
  ENOENT: (path) => `there is no ${path}`,
  EACCES: (path) => `${path} may not be used by you: look at its rights`,
  EPERM: (path) => `${path} may not be changed by you: look at its rights and its owner`,
  EISDIR: (path) => `${path} is a folder, and a file is wanted`,
  ENOTDIR: (path) => `${path}: a part of it is a file, and a folder is wanted`,
  EROFS: (path) => `${path} is on a disk that is mounted for reading only: choose another place`,
  ENOSPC: (path) => `the disk is full (${path}): make room, then try again`,
  EDQUOT: (path) => `your share of the disk is used up (${path}): make room, then try again`,
  EMFILE: () => 'too many files are open: raise the limit with `ulimit -n`',
  ENFILE: () => 'too many files are open on this machine',
}

function ofFile({ code, path, message, syscall }: NodeJS.ErrnoException): string {
  if (syscall === 'uv_cwd') return 'the current folder does not exist any more: cd to another'
  const tell = FILE_TROUBLE[code!]
  // Without a path it is what we print that had no place.
  return tell ? `${tell(path ?? 'our output')} (${code})` : message
}
