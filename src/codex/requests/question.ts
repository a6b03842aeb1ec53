// What codex asks, as a person or a rule sees it. Plain data: it can be stored, sent and shown elsewhere.

import type { Escalation } from '../policy/index.ts'
import type { protocol, ServerMethod } from '../protocol/index.ts'
import type { RequestId } from '../wire/index.ts'

/** The turn on whose behalf a sub-agent works. */
export interface ParentTurn {
  readonly threadId: string
  readonly turnId: string
}

/** The words an approval can be answered with. Which of them work, and what each does, a question says itself. */
export type Word = 'once' | 'session' | 'always' | 'deny' | 'cancel'

/** One possible answer and what it would do. */
export interface Choice {
  readonly word: Word
  readonly effect: string
  readonly lasts: 'now' | 'turn' | 'thread' | 'for good'
}

interface Asked {
  /** null, like `method`, for a question that came as a message: codex does not wait for a reply to it. */
  readonly requestId: RequestId | null
  readonly method: ServerMethod | null
  readonly threadId: string | null
  readonly turnId: string | null
  readonly itemId: string | null
  /** The turn on whose behalf it is asked, when a sub-agent asks. */
  readonly parent: ParentTurn | null
  /** The machine that it would happen on; absent: codex's own. */
  readonly host?: string
  /** One line that says what is asked. */
  readonly title: string
  readonly reason: string | null
  readonly choices: readonly Choice[]
  /** What codex sent, untouched. */
  readonly params: unknown
}

/** May this command run, outside the sandbox or though a rule wants to be asked? */
export interface CommandQuestion extends Asked {
  readonly kind: 'command'
  /** As a shell would read it. */
  readonly command: string
  /** As a list of words; null when it is not one command, or a shell would fill something in. */
  readonly argv: readonly string[] | null
  readonly cwd: string
  readonly actions: readonly protocol.v2.CommandAction[]
  /** The host, when it is about reaching one through the managed network. */
  readonly network: protocol.v2.NetworkApprovalContext | null
  readonly additionalPermissions: unknown
  /** What it reaches outside the sandbox once it is approved; null when it stays inside, or nobody can tell. */
  readonly escalation: Escalation | null
}

/** May these files be changed? */
export interface FileChangeQuestion extends Asked {
  readonly kind: 'file-change'
  readonly changes: readonly protocol.v2.FileUpdateChange[]
  /** Codex asks to write anywhere below this folder from now on. */
  readonly grantRoot: string | null
  readonly cwd: string
}

/** May the turn, or the thread, do more than its sandbox allows? */
export interface PermissionsQuestion extends Asked {
  readonly kind: 'permissions'
  readonly permissions: protocol.v2.RequestPermissionProfile
  readonly cwd: string
}

/** May this tool of an MCP server run? */
export interface McpToolQuestion extends Asked {
  readonly kind: 'mcp-tool'
  readonly server: string
  readonly tool: string | null
  readonly description: string | null
  readonly arguments: unknown
}

/** What an MCP server wants to know: the fields of a form, or that a page was visited. */
export interface ElicitationQuestion extends Asked {
  readonly kind: 'elicitation'
  readonly server: string
  readonly message: string
  /** JSON Schema of an object; null when a page is to be visited. */
  readonly schema: unknown
  readonly url: string | null
}

/** What the model wants to know of the user. */
export interface UserInputQuestion extends Asked {
  readonly kind: 'user-input'
  readonly questions: readonly protocol.v2.ToolRequestUserInputQuestion[]
  readonly isBlocking: boolean
  /** `async`: asked in a message. The turn goes on, and the answer is a message of the user. */
  readonly delivery: 'request' | 'async'
}

export type Question =
  | CommandQuestion
  | FileChangeQuestion
  | PermissionsQuestion
  | McpToolQuestion
  | ElicitationQuestion
  | UserInputQuestion

/**
 * An answer: a word, the values that were asked for, the part of the permissions that is granted, or codex's own reply.
 */
export type Answer =
  | Word
  | { readonly answers: Readonly<Record<string, readonly string[]>> }
  | { readonly content: Readonly<Record<string, unknown>> }
  | {
      readonly permissions: protocol.v2.GrantedPermissionProfile
      readonly scope: protocol.v2.PermissionGrantScope
    }
  | { readonly result: unknown }
