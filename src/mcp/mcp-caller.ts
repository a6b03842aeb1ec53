import type { Caller, Draft, Grant, TaskService } from '../tasks/index.ts'

/** What the tools use of the task service. It refuses by itself what the caller may not do. */
export interface McpTasks
  extends Pick<
    TaskService,
    | 'start'
    | 'list'
    | 'get'
    | 'show'
    | 'send'
    | 'interrupt'
    | 'fork'
    | 'resume'
    | 'follow'
    | 'events'
    | 'approvals'
    | 'approval'
    | 'decide'
    | 'notices'
    | 'retryNotice'
    | 'models'
  > {
  dryRunNotice?(noticeId: string): Promise<Draft | { readonly error: string }>
}

/** Whether a token may answer any question at all; without a grant it is the owner's. */
export function mayAnswerBy(grant: Pick<Grant, 'may'> | null | undefined): boolean {
  return !grant || grant.may.includes('answer') || grant.may.includes('answer-own')
}

/** Who calls the tools, and what the tools may use on its behalf. */
export interface McpCaller {
  readonly tasks: McpTasks
  /** Written to log and audit. */
  readonly by: Omit<Caller, 'signal'>
  /** The name of its token: `clientRequestId`s of different tokens never meet. */
  readonly scope: string
  /** Whether its token may answer questions, as far as is known. Only decides what is offered: `tasks` refuses. */
  mayAnswer(): boolean
  /** Where tasks work when a call does not say it; null: it must. */
  readonly defaultCwd: string | null
  /** Takes a place for a call that waits, and returns how to give it back. `close` ends the waiting. */
  hold(close: () => void): () => void
  /** An error that is a defect, not an answer. */
  readonly onError: (error: unknown) => void
}
