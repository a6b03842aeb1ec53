// While codex is brought to a host: how much of it is there.
import { setTimeout as delay } from 'node:timers/promises'
import type { DrawbridgeClient, Host } from '../../api/index.ts'

type Upload = NonNullable<NonNullable<Host['ssh']>['upload']>

export function uploadText({ sentBytes, totalBytes }: Upload): string {
  const [sent, total] = [sentBytes, totalBytes].map((bytes) => Math.round(bytes / 1e6))
  return `codex is on its way: ${sent} of ${total} MB`
}

const LOOK_MS = 1_000

/** Tells of the upload as it goes on, and outlasts it: a connection that waits for its answer may not. */
export async function whileUploading<T>(
  ask: () => Promise<T>,
  { onUpload, ...looking }: Looking & { readonly onUpload: (text: string) => void },
): Promise<T> {
  const over = new AbortController()
  const watch = tellUpload(looking, { onUpload, signal: over.signal })
  try {
    return await ask()
  } catch (error) {
    if ((await uploadTo(looking)) === null) throw error
    while ((await uploadTo(looking)) !== null) await delay(looking.lookMs ?? LOOK_MS)
    return await ask()
  } finally {
    over.abort()
    await watch
  }
}

interface Looking {
  readonly client: Pick<DrawbridgeClient, 'hosts'>
  readonly name: string
  readonly lookMs?: number
}

/** Every tenth of it. */
async function tellUpload(
  looking: Looking,
  { onUpload, signal }: { readonly onUpload: (text: string) => void; readonly signal: AbortSignal },
): Promise<void> {
  let told = -1
  while (!signal.aborted) {
    const upload = await uploadTo(looking)
    const tenth = upload === null ? told : Math.floor((10 * upload.sentBytes) / upload.totalBytes)
    if (upload !== null && tenth > told) onUpload(uploadText(upload))
    told = tenth
    await delay(looking.lookMs ?? LOOK_MS, undefined, { signal }).catch(() => {})
  }
}

async function uploadTo({ client, name }: Looking): Promise<Upload | null> {
  const hosts = await client.hosts().catch(() => [])
  return hosts.find(({ id }) => id === name)?.ssh?.upload ?? null
}
