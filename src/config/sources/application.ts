// What has to be known of an application to read its MCP servers: where its files are, and how they are written.

import type { Table } from '../untyped.ts'
import type { Origin } from './found-server.ts'
import type { Interpolation } from './interpolated.ts'
import type { Places } from './places.ts'
import type { FieldReader } from './server-draft.ts'

export interface SourceFile {
  readonly level: Origin['level']
  readonly path: string
  /** Of an application that keeps several sets of settings; the usual one has no name. */
  readonly profile?: string
}

export interface Application {
  readonly id: string
  readonly label: string
  readonly format: 'json' | 'yaml'
  readonly interpolation: Interpolation
  /** In the order in which the application itself prefers them. */
  files(at: Places): readonly SourceFile[]
  /** The servers by name in a file that could be read: a table, or whatever is in its place. undefined: none. */
  serversIn(document: unknown, file: SourceFile, at: Places): unknown
  readonly fields: Readonly<Record<string, FieldReader>>
  /** Further files that say which servers are switched off. */
  switches?(at: Places): readonly string[]
  isOff?(name: string, looked: Looked): boolean
}

export interface Looked {
  readonly file: SourceFile
  readonly document: unknown
  readonly switches: readonly Switches[]
  readonly at: Places
}

export interface Switches {
  readonly path: string
  readonly settings: Table
}
