import type { Caller, Draft, Grant, Task, TaskService } from '../tasks/index.ts'

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

/** Whether a token may answer questions of this task, or any at all; without a grant it is the owner's. */
export function mayAnswerBy(
  grant: Pick<Grant, 'may' | 'tokenId'> | null | undefined,
  task?: Pick<Task, 'createdBy'>,
): boolean {
  if (!grant) return true
  if (!task) return grant.may.includes('answer') || grant.may.includes('answer-own')
  return grant.may.includes(task.createdBy?.tokenId === grant.tokenId ? 'answer-own' : 'answer')
}

/** Who calls the tools, and what the tools may use on its behalf. */
export interface McpCaller {
  readonly tasks: McpTasks
  /** Written to log and audit. */
  readonly by: Omit<Caller, 'signal'>
  /** The name of its token: `clientRequestId`s of different tokens never meet. */
  readonly scope: string
  /**
   * Whether its token may answer questions of this task, or any at all, as far as is known. Only decides what is offered:
   * `tasks` refuses.
   */
  mayAnswer(task?: Pick<Task, 'createdBy'>): boolean
  /** Where tasks work when a call does not say it; null: it must. */
  readonly defaultCwd: string | null
  /** Takes a place for a call that waits, and returns how to give it back. `close` ends the waiting. */
  hold(close: () => void): () => void
  /** An error that is a defect, not an answer. */
  readonly onError: (error: unknown) => void
}
