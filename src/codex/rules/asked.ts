// What codex asks, as far as a rule can tell one question from another. Whoever maps a server request to this leaves
// out nothing that it asks for: what is left out is granted unseen.

export interface AskedPermissions {
  readonly readPaths: readonly string[]
  readonly writePaths: readonly string[]
  readonly network: boolean
  /** Anything asked for that the fields above cannot say (a glob, a special folder): nobody but a person grants it. */
  readonly other: readonly string[]
}

export interface AskedCommand {
  readonly kind: 'command'
  /** As codex shows it: `/bin/bash -lc 'git status'`. Null when it did not say. */
  readonly command: string | null
  /** The words themselves where codex gives them; they stand instead of `command`. */
  readonly argv?: readonly string[]
  readonly cwd: string | null
  /** It would run outside the sandbox, or nobody can tell that it would not. */
  readonly isEscalated: boolean
  /** The host it wants to reach, when that is what is asked. */
  readonly host?: string
  readonly permissions?: AskedPermissions
}

export interface AskedFileChange {
  readonly kind: 'file-change'
  readonly changes: readonly { readonly path: string; readonly change: 'add' | 'update' | 'delete' }[]
  /** A folder codex wants to write to from now on. */
  readonly grantRoot: string | null
  readonly cwd: string | null
}

export type AskedAction =
  | AskedCommand
  | AskedFileChange
  | { readonly kind: 'permissions'; readonly permissions: AskedPermissions; readonly cwd: string | null }
  | {
      readonly kind: 'mcp-tool'
      readonly server: string
      readonly tool: string
      readonly isReadOnly: boolean | null
    }
  | { readonly kind: 'host'; readonly host: string }
  | { readonly kind: 'elicitation'; readonly server: string }
  | { readonly kind: 'user-input' }
  /** Anything else: always a person's to answer. */
  | { readonly kind: 'other'; readonly what: string }

export type Asked = AskedAction & {
  readonly threadId: string
  readonly labels: readonly string[]
  /** Absolute folders the task works in. */
  readonly workspaceRoots: readonly string[]
}
