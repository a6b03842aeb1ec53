import type { Answer, Question, SandboxSide } from '../../codex/index.ts'

/** A question codex asks, from the moment it is put until it is answered or no longer stands. Times in milliseconds. */
export interface Approval {
  readonly id: string
  readonly taskId: string
  readonly kind: Question['kind']
  /** What a person is shown, secrets taken out. */
  readonly question: Question
  /** What `always` would make a standing rule; null where no rule can say it. */
  readonly proposedRule: string | null
  readonly status: 'pending' | 'answered' | 'withdrawn'
  /** Values given to secret questions are not kept. */
  readonly answer: Answer | null
  readonly by: 'rule' | 'person' | 'default' | null
  /** The person or program that answered: `cli:alice`, `console`. */
  readonly actor: string | null
  /** The id of the rule that decided. */
  readonly rule: string | null
  /** Why it was decided, or withdrawn. */
  readonly why: string | null
  readonly createdAt: number
  /** When the answer will be no. */
  readonly deadlineAt: number | null
  readonly settledAt: number | null
}

/** One line of the audit: written once, never changed, kept when its task is gone. */
export interface AuditEntry {
  readonly id: number
  readonly at: number
  readonly approvalId: string
  readonly taskId: string
  readonly kind: string
  readonly title: string
  readonly answer: Answer | null
  readonly by: 'rule' | 'person' | 'default'
  readonly actor: string | null
  readonly rule: string | null
  readonly why: string | null
}

/** A rule that stands for all tasks until it is revoked or expires. */
export interface StandingRule {
  readonly id: string
  /** In one line, as `rules` everywhere: `allow command git status`. */
  readonly text: string
  /** How far it lets commands go: `outside` when one may leave the sandbox. Null when it allows no command. */
  readonly reach: SandboxSide | null
  readonly note: string | null
  readonly createdAt: number
  readonly createdBy: string
  /** The question it came from, when it was an answer of `always`. */
  readonly approvalId: string | null
  readonly expiresAt: number | null
  readonly revokedAt: number | null
  readonly revokedBy: string | null
}
