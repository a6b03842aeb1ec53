// One MCP server as it is configured in another application, in one shape for all of them.
import type { Interpolated } from './interpolated.ts'

export interface Origin {
  /** The application's id, such as `claude-code`. */
  readonly application: string
  /** Its name for people. */
  readonly label: string
  readonly level: 'user' | 'project' | 'system'
  readonly file: string
}

/** A key that has no counterpart, or a value that could not be read. */
export interface LeftOut {
  readonly key: string
  readonly why: string
}

export interface FoundServer {
  readonly name: string
  readonly origin: Origin
  /** The folder of the project that configures it; null for one of the user. */
  readonly project: string | null
  /** null when it names neither a command nor an address. */
  readonly transport: 'stdio' | 'http' | 'sse' | null
  readonly command: Interpolated | null
  readonly args: readonly Interpolated[]
  readonly env: Readonly<Record<string, Interpolated>>
  readonly cwd: Interpolated | null
  readonly url: Interpolated | null
  readonly headers: Readonly<Record<string, Interpolated>>
  readonly isEnabled: boolean
  readonly startupTimeoutSec: number | null
  readonly toolTimeoutSec: number | null
  readonly enabledTools: readonly string[] | null
  readonly disabledTools: readonly string[] | null
  readonly oauth: { readonly clientId: string | null; readonly callbackPort: number | null }
  readonly scopes: readonly string[] | null
  readonly leftOut: readonly LeftOut[]
}
