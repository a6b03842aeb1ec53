import type { Thread, ThreadPolicy, TurnOptions } from '../codex/index.ts'
import { SANDBOXES } from './turn-request.ts'

/**
 * What holds for a turn: what codex said of the thread, and what this turn and those before it changed. codex says what
 * holds when a thread is opened, and keeps the changes of a turn for those that follow.
 */
export function policyInForce(
  { settings, policy }: Pick<Thread, 'settings' | 'policy'>,
  turn: TurnOptions,
): Readonly<Record<string, unknown>> {
  const { modelProvider, approvalsReviewer, cwd } = settings
  return {
    model: turn.model ?? settings.model,
    modelProvider,
    effort: turn.effort ?? settings.reasoningEffort,
    approvalPolicy: turn.approvalPolicy ?? settings.approvalPolicy,
    approvalsReviewer,
    sandbox: turn.sandboxPolicy ?? keptSandbox(settings.sandbox, policy),
    cwd,
  }
}

function keptSandbox(said: Thread['settings']['sandbox'], { sandbox }: ThreadPolicy): unknown {
  const kept = sandbox && SANDBOXES[sandbox]
  return kept && kept.type !== said?.type ? kept : said
}
