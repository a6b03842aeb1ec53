/** The system names no file when a write found no room: then this is the place. */
export function withPath(error: unknown, path: string): unknown {
  const system = error as NodeJS.ErrnoException
  const isFull = error instanceof Error && (system.code === 'ENOSPC' || system.code === 'EDQUOT')
  if (isFull) system.path ??= path
  return error
}
