import { stat } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'

/** A mount that hangs answers after minutes, or never. */
const PATIENCE_MS = 2_000

/** Looks that have no answer yet. Each keeps one of the few threads for files busy: a folder is looked at once at a time. */
const looks = new Map<string, Promise<boolean>>()

/** Whether this machine has that folder; false also when the file system does not answer in time. */
export async function isFolder(folder: string): Promise<boolean> {
  const look = looks.get(folder) ?? lookAt(folder)
  const over = new AbortController()
  const late = delay(PATIENCE_MS, false, { signal: over.signal }).catch(() => false)
  return Promise.race([look, late]).finally(() => over.abort())
}

function lookAt(folder: string): Promise<boolean> {
  const look = stat(folder)
    .then(
      (facts) => facts.isDirectory(),
      () => false,
    )
    .finally(() => looks.delete(folder))
  looks.set(folder, look)
  return look
}
