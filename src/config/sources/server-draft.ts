// A server while it is being read: each key of an application's entry is handed to one reader, which fills this in.
import type { FoundServer, LeftOut, Origin } from './found-server.ts'
import { type Folders, type Interpolated, type Interpolation, interpolated } from './interpolated.ts'

export interface ReadingRules {
  readonly interpolation: Interpolation
  readonly folders: Folders
}

/** Takes one key of a server's entry. */
export type FieldReader = (draft: ServerDraft, value: unknown, key: string) => void

export class ServerDraft {
  readonly #rules: ReadingRules
  readonly leftOut: LeftOut[] = []
  /** As `type` or `transport` has it, if at all. */
  namedTransport: 'stdio' | 'http' | 'sse' | null = null
  /** What an address means where no transport is named. */
  addressTransport: 'http' | 'sse' = 'http'
  command: Interpolated | null = null
  args: Interpolated[] = []
  env: Record<string, Interpolated> = {}
  cwd: Interpolated | null = null
  url: Interpolated | null = null
  headers: Record<string, Interpolated> = {}
  isEnabled = true
  startupTimeoutSec: number | null = null
  toolTimeoutSec: number | null = null
  enabledTools: string[] | null = null
  disabledTools: string[] | null = null
  oauth: { clientId: string | null; callbackPort: number | null } = { clientId: null, callbackPort: null }
  scopes: string[] | null = null

  constructor(rules: ReadingRules) {
    this.#rules = rules
  }

  text(value: string): Interpolated {
    return interpolated(value, this.#rules.interpolation, this.#rules.folders)
  }

  leave(key: string, why: string): void {
    this.leftOut.push({ key, why })
  }

  found(name: string, origin: Origin): FoundServer {
    const { leftOut, command, args, env, cwd, url, headers, oauth, scopes, isEnabled } = this
    const { startupTimeoutSec, toolTimeoutSec, enabledTools, disabledTools } = this
    const transport = this.#transport()
    const { project } = this.#rules.folders
    if (transport === 'stdio' && url !== null)
      leftOut.push({ key: 'url', why: 'it has a command too, and the command is used' })
    return {
      ...{ name, origin, project, transport, command, args, env, cwd, url, headers, isEnabled },
      ...{ startupTimeoutSec, toolTimeoutSec, enabledTools, disabledTools, oauth, scopes, leftOut },
    }
  }

  #transport(): FoundServer['transport'] {
    if (this.command !== null) return 'stdio'
    if (this.url === null) return null
    return this.namedTransport === null || this.namedTransport === 'stdio'
      ? this.addressTransport
      : this.namedTransport
  }
}
