// Another machine on which the commands of a thread run: codex and its login stay here, a `codex exec-server` runs there.
import { createHash } from 'node:crypto'
import { DrawbridgeError } from './errors/index.ts'
import type { PathFacts } from './host.ts'
import type { Protection } from './policy/index.ts'

export interface ThreadEnvironment {
  /** What people call it. Questions say it. */
  readonly name: string
  /**
   * An empty folder on codex's own machine. What codex reads of a project there (settings, MCP servers, trust) it reads
   * from this folder, so that none of it applies to a folder of the same path on the other machine.
   */
  readonly localFolder: string
  /** Of paths there. */
  readonly paths: PathFacts
  /** Called before the thread is opened and before each turn. Rejects when the machine cannot be reached. */
  readonly open: (options: { readonly codexVersion: string }) => Promise<ExecServerAddress>
}

export interface ExecServerAddress {
  /** `ws://127.0.0.1:…`: loopback, or a secure transport. */
  readonly url: string
  readonly token: string
  /** Files and folders there that commands must not read: logins. Real paths of what exists. */
  readonly protectedPaths: readonly string[]
}

/** The machine on which a task's commands run is away. Nothing has begun. */
export class HostUnreachableError extends DrawbridgeError {
  readonly host: string

  constructor(host: string, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause)
    super(`host ${host} cannot be used now: ${why}`, { code: 'host-unreachable', retryable: true, cause })
    this.host = host
  }
}

/**
 * What codex calls it. codex keeps an id with the address it had when a thread first used it (0.166), so another address is
 * another id. So is another token: addresses are all of loopback, and each machine has a token of its own.
 */
export function environmentId(
  name: string,
  { url, token }: Pick<ExecServerAddress, 'url' | 'token'>,
): string {
  return `${name}-${digest(`${url} ${digest(token)}`).slice(0, 8)}`
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

const PROFILES = 'drawbridge-there'

/** Any set of protected files: a thread that codex still has loaded may be under the profile of an earlier one. */
export function anyThere(protection: Protection | null): Protection | null {
  return protection && { ...protection, profile: PROFILES }
}

/**
 * As for app-servers of this machine, with the files of that one, and of that one only: a sandbox cannot deny a path that
 * is not there to somebody who could not make it.
 */
export function protectionThere({ protectedPaths }: Pick<ExecServerAddress, 'protectedPaths'>): Protection {
  const paths = [...protectedPaths].sort()
  const key = digest(JSON.stringify(paths)).slice(0, 12)
  return { profile: `${PROFILES}-${key}`, paths, tempFolders: ['/tmp'], dialect: 'modern' }
}
