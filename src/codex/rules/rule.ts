// A stored answer. What it says is compared with what is asked, word by word; a condition that is absent always holds.

export type Answer = 'allow' | 'deny' | 'ask'

/** Conditions any rule may have. */
export interface Conditions {
  /** Where it is asked: a glob on the real folder. */
  readonly cwd?: string
  /** All of these are labels of the task. */
  readonly labels?: readonly string[]
  /** Only this thread. */
  readonly thread?: string
}

export interface CommandMatch extends Conditions {
  /** The first words, or all of them: exactly one of the two. No words at all in `argvPrefix` is any command. */
  readonly argvPrefix?: readonly string[]
  readonly command?: readonly string[]
  /** Variables that may be set before it; `*` is any that does not change what runs. Without it, none. */
  readonly env?: readonly string[]
  /** No options but these: `-n`, `--stat`, with a value `-n=`, `--format=`, a number `-#`. */
  readonly options?: readonly string[]
  /** At least one of these options, in any spelling. */
  readonly anyOption?: readonly string[]
  /** At least one word like one of these; `*` stands for anything. */
  readonly anyWord?: readonly string[]
  /** Paths in its words: an allow needs all of them to be like these, a deny or ask one. */
  readonly paths?: readonly string[]
  /** `none`: no words but options; `inside`: every word inside the workspace; `outside`: one that is not. */
  readonly operands?: 'none' | 'inside' | 'outside'
  /** True: only where it stays in the sandbox. False: only where it would leave it, or nobody can tell. */
  readonly isSandboxed?: boolean
}

/** Writes, granted folders, and, unless it allows, any command that names the path. */
export interface PathMatch extends Conditions {
  readonly paths: readonly string[]
  /** Only what is seen to write there: not commands that merely name it. */
  readonly isWriting?: boolean
}

export interface McpMatch extends Conditions {
  readonly server: string
  readonly tool: string
  /** Only tools whose server says that they do not change anything. */
  readonly isReadOnly?: boolean
}

interface RuleMatches {
  readonly command: CommandMatch
  readonly path: PathMatch
  readonly mcp: McpMatch
  readonly host: Conditions & { readonly host: string }
  /** The network as such, when codex asks for it as a permission. */
  readonly network: Conditions
  readonly elicitation: Conditions & { readonly server: string }
  readonly input: Conditions
}

export type RuleKind = keyof RuleMatches

export type RuleOf<K extends RuleKind> = {
  readonly id: string
  /** What people are told it is; else its id. */
  readonly title?: string
  readonly answer: Answer
  readonly kind: K
  readonly match: RuleMatches[K]
  /** Milliseconds since 1970. From then on it matches nothing. */
  readonly expiresAt?: number
  readonly note?: string
}

export type Rule = { [K in RuleKind]: RuleOf<K> }[RuleKind]
