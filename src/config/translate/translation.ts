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
  /** What is allowed: one field of one server in one file. */
  readonly key: string
  readonly text: string
}

export interface Allowed {
  /** `all`, or keys of asks. */
  readonly secrets: 'all' | ReadonlySet<string>
  /** Dangerous variables that may be set: names, for every server, and keys of asks. */
  readonly variables: ReadonlySet<string>
  /** Variables whose value of now may be written down: names, for every server, and keys of asks. */
  readonly resolve: ReadonlySet<string>
}

export const NOTHING_ALLOWED: Allowed = { secrets: new Set(), variables: new Set(), resolve: new Set() }

/** The key of an ask about a field of a server, and how that server is told from others of its name. */
export function askedOf({ name, origin }: FoundServer, field: string): { key: string; where: string } {
  const { level, file } = origin
  return { key: JSON.stringify([level, file, name, field]), where: `${name} (${level}, ${file})` }
}

export interface Translation {
  /** As codex will know it; null when no name is left. */
  readonly name: string | null
  readonly server: FoundServer
  /** null when it cannot be imported. */
  readonly table: CodexServer | null
  /** The same with its secrets hidden, for people. */
  readonly shown: CodexServer | null
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
  /** Secrets of the user's own environment that were written into fixed texts. */
  readonly filledIn: string[] = []
  problem: string | null = null

  note(about: string, text: string): void {
    this.notes.push({ about, text })
  }

  fillIn(secret: string): void {
    this.secrets.push(secret)
    this.filledIn.push(secret)
  }

  /** The first reason is the one that is told. */
  refuse(problem: string): void {
    this.problem ??= problem
  }

  ask(ask: Ask): void {
    if (!this.asks.some(({ kind, key }) => kind === ask.kind && key === ask.key)) this.asks.push(ask)
  }
}
