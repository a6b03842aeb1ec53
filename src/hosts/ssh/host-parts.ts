import type { SshConnection } from './connection.ts'
import type { HostCodex } from './ensure-codex.ts'
import type { HostFacts } from './host-facts.ts'
import type { Progress } from './provision.ts'
import type { RemoteServers } from './remote-servers.ts'
import type { SshHostSpec } from './ssh-target.ts'

export interface CodexOptions {
  readonly version: string | null
  /** The oldest that will do, where any version does. */
  readonly least?: string
  readonly onProgress?: (progress: Progress) => void
  readonly signal?: AbortSignal
}

/** What the servers of a host are made with. */
export interface HostParts {
  readonly spec: SshHostSpec
  readonly connection: SshConnection
  readonly servers: RemoteServers
  readonly codex: (options: CodexOptions) => Promise<HostCodex>
  readonly facts: (options: { readonly signal?: AbortSignal }) => Promise<HostFacts>
  /** Here: where sockets are. */
  readonly sockets: string
  readonly dataDir: string
  readonly now: () => number
}
