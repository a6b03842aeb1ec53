import { closeSync, constants, fchmodSync, fstatSync, openSync, readFileSync } from 'node:fs'

/** A private file that is a symbolic link: somebody else may have put it there, and decides where it leads. */
export class LinkedFileError extends Error {
  readonly code = 'linked-file'

  constructor(file: string, cause: unknown) {
    super(
      `${file} is a symbolic link, and private files are not followed elsewhere: replace it with the file`,
      {
        cause,
      },
    )
    this.name = 'LinkedFileError'
  }
}

/** Opens a file that is ours alone, without following a link. The caller closes it. */
export function openOwnFile(file: string, flags: number, mode = 0o600): number {
  try {
    // Without O_NONBLOCK a pipe in its place would hold us up for ever.
    return openSync(file, flags | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0), mode)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw code === 'ELOOP' || code === 'EMLINK' ? new LinkedFileError(file, error) : error
  }
}

/** The text of such a file; takes everybody else's access to it away first. */
export function readOwnFile(file: string): string {
  const descriptor = openOwnFile(file, constants.O_RDONLY)
  try {
    if ((fstatSync(descriptor).mode & 0o077) !== 0) fchmodSync(descriptor, 0o600)
    return readFileSync(descriptor, 'utf8')
  } finally {
    closeSync(descriptor)
  }
}
