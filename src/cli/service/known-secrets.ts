// The secrets the service is given: whatever the text, they are hidden in it. Targets of notices and the token are added
// where they are read, since they change while it runs.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Settings } from '../../config/index.ts'

export function knownSecrets(
  { webhookSecret, smtp, database }: Settings,
  dataDir: string,
): readonly string[] {
  return [
    ...tokenIn(dataDir),
    ...(webhookSecret === null ? [] : [webhookSecret]),
    ...(smtp === null ? [] : passwordIn(smtp.url)),
    ...(database === null ? [] : passwordIn(database)),
  ]
}

/** The token of the service; empty without one. Not through the door of `api`, which takes half a second to load. */
export function tokenIn(dataDir: string): readonly string[] {
  try {
    return [readFileSync(path.join(dataDir, 'token'), 'utf8').trim()]
  } catch {
    return []
  }
}

/** As it is written in the url, and as the server is told it. */
export function passwordIn(text: string): readonly string[] {
  const password = URL.parse(text)?.password ?? ''
  return password === '' ? [] : [password, decoded(password)]
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
