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
  const { sandbox } = await thread.rightsOf(turn)
  return {
    model: turn.model ?? settings.model,
    modelProvider,
    effort: turn.effort ?? settings.reasoningEffort,
    approvalPolicy: turn.approvalPolicy ?? settings.approvalPolicy,
    approvalsReviewer,
    sandbox,
    trust: policy.trustedRoot === undefined ? 'untrusted' : 'trusted',
    areLoginsProtected: protection !== null,
    cwd,
  }
}
