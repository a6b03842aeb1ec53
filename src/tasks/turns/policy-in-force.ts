import type { Thread, TurnOptions } from '../../codex/index.ts'

/**
 * What holds for a turn: what codex said of the thread, and what this turn and those before it changed. codex says what
 * holds when a thread is opened, and keeps the changes of a turn for those that follow.
 */
export async function policyInForce(
  thread: Thread,
  turn: TurnOptions,
): Promise<Readonly<Record<string, unknown>>> {
  const { settings, policy, protection } = thread
  const { modelProvider, approvalsReviewer, cwd } = settings
  const { sandbox, params } = await thread.rightsOf(turn)
  const { allow, confined } = policy
  const network = turn.network ?? policy.network
  return {
    model: turn.model ?? settings.model,
    modelProvider,
    effort: turn.effort ?? settings.reasoningEffort,
    approvalPolicy: turn.approvalPolicy ?? settings.approvalPolicy,
    approvalsReviewer,
    sandbox,
    ...(params.permissions != null && { permissions: params.permissions }),
    ...(confined && { confined }),
    ...(allow !== undefined && { allow }),
    ...(typeof network === 'object' && { network }),
    trust: policy.trustedRoot === undefined ? 'untrusted' : 'trusted',
    areLoginsProtected: protection !== null,
    cwd,
  }
}
