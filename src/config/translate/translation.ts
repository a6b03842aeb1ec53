// What becomes of one server, and what a person would have to allow or do for more of it.
import type { FoundServer, LeftOut } from '../sources/index.ts'
import type { CodexServer } from './codex-server.ts'

export interface Note {
  /** Such as `env.GITHUB_TOKEN`. */
  readonly about: string
  readonly text: string
}

/** What is only done when a person says so. */
export interface Ask {
  readonly kind: 'secret' | 'variable' | 'resolve'
  /** What is allowed: `github env.GITHUB_TOKEN` for a secret, the variable's name for the others. */
  readonly key: string
  readonly text: string
}

export interface Allowed {
  /** `all`, or keys of asks. */
  readonly secrets: 'all' | ReadonlySet<string>
  /** Dangerous variables that may be set, by name. */
  readonly variables: ReadonlySet<string>
  /** Variables whose value of now may be written down, by name. */
  readonly resolve: ReadonlySet<string>
}

export const NOTHING_ALLOWED: Allowed = { secrets: new Set(), variables: new Set(), resolve: new Set() }

export interface Translation {
  /** As codex will know it; null when no name is left. */
  readonly name: string | null
  readonly server: FoundServer
  /** null when it cannot be imported. */
  readonly table: CodexServer | null
  /** Why it is not imported. */
  readonly problem: string | null
  readonly notes: readonly Note[]
  readonly leftOut: readonly LeftOut[]
  readonly asks: readonly Ask[]
  /** Variables that codex has to find in its environment for the server to work. */
  readonly needs: readonly string[]
  /** Literal secrets of the source, imported or not: to be hidden wherever anything is shown. */
  readonly secrets: readonly string[]
}

/** Collects what is to be told while a server is translated. */
export class TranslationNotes {
  readonly notes: Note[] = []
  readonly asks: Ask[] = []
  readonly needs = new Set<string>()
  readonly secrets: string[] = []
  problem: string | null = null

  note(about: string, text: string): void {
    this.notes.push({ about, text })
  }

  /** The first reason is the one that is told. */
  refuse(problem: string): void {
    this.problem ??= problem
  }

  ask(ask: Ask): void {
    if (!this.asks.some(({ kind, key }) => kind === ask.kind && key === ask.key)) this.asks.push(ask)
  }
}
