import type { protocol } from '../protocol/index.ts'
import { plainWords } from '../rules/index.ts'
import { about, type Family, notOffered } from './family.ts'
import type { Choice, CommandQuestion } from './question.ts'

type Method = 'item/commandExecution/requestApproval'
type Params = protocol.v2.CommandExecutionRequestApprovalParams
type Decision = protocol.v2.CommandExecutionApprovalDecision

/** Run a command that the sandbox or a rule does not let through by itself. */
export const command: Family<Method> = {
  refuse: () => ({ decision: 'decline' }),

  ask(params, facts): CommandQuestion {
    const shown = params.command ?? (params.networkApprovalContext ? '' : 'a command')
    return {
      ...about(params, facts),
      kind: 'command',
      method: 'item/commandExecution/requestApproval',
      title: title(params),
      reason: params.reason ?? null,
      command: shown,
      argv: plainWords(params.command ?? ''),
      cwd: params.cwd || facts.cwd,
      actions: params.commandActions ?? [],
      network: params.networkApprovalContext ?? null,
      additionalPermissions: params.additionalPermissions ?? null,
      choices: choicesFor(params),
    }
  },

  reply(answer, params) {
    const choices = choicesFor(params)
    if (!choices.some(({ word }) => word === answer)) notOffered(answer, choices)
    if (answer === 'once') return { decision: 'accept' }
    if (answer === 'session') return { decision: 'acceptForSession' }
    if (answer === 'always') return { decision: amendment(params)! }
    return { decision: answer === 'cancel' ? 'cancel' : 'decline' }
  },
}

function title({ command: text, kind, networkApprovalContext: network }: Params): string {
  if (network) return `reach ${network.host} over ${network.protocol}`
  return kind === 'writeStdin' ? `type into ${text ?? 'a running command'}` : `run ${text ?? 'a command'}`
}

/**
 * codex never lists `session` and `deny`, yet both work. An amendment that it proposes but leaves out would work too, and
 * let through more than is asked: the command outside the sandbox, where only a part of the sandbox was to be opened.
 */
function choicesFor(params: Params): Choice[] {
  const lists = (decision: Decision) =>
    params.availableDecisions?.some((offered) => JSON.stringify(offered) === JSON.stringify(decision)) ?? true
  const lasting = amendment(params)
  const isHost = params.networkApprovalContext != null
  const not = isHost ? 'it is not reached' : 'it does not run'
  const all: (Choice | false)[] = [
    lists('accept') && { word: 'once', effect: onceEffect(params), lasts: 'now' },
    // For typed text it would change nothing: every line is asked about again.
    params.kind !== 'writeStdin' && {
      word: 'session',
      effect: sessionEffect(params),
      lasts: 'thread',
    },
    lasting !== null &&
      lists(lasting) && { word: 'always', effect: amendmentEffect(lasting), lasts: 'for good' },
    { word: 'deny', effect: `${not}; the model is told and the turn goes on`, lasts: 'now' },
    lists('cancel') && { word: 'cancel', effect: `${not} and the turn ends`, lasts: 'now' },
  ]
  return all.filter((choice) => choice !== false)
}

function sessionEffect({ additionalPermissions, networkApprovalContext }: Params): string {
  if (networkApprovalContext) return 'the host is reached without asking on this thread'
  const where = additionalPermissions
    ? 'in its sandbox with these permissions added'
    : 'outside the sandbox if need be'
  return `it and its like run without asking on this thread, ${where}`
}

function onceEffect({ kind, additionalPermissions, networkApprovalContext }: Params): string {
  if (networkApprovalContext) return 'the host is reached now'
  if (kind === 'writeStdin') return 'it is typed in now'
  return additionalPermissions
    ? 'it runs now, in its sandbox with these permissions added'
    : 'it runs now, outside the sandbox if need be'
}

type Amendment = Exclude<Decision, string>

/** What `always` would write down: the amendment codex proposes. Of several hosts only one that is allowed. */
function amendment({
  proposedExecpolicyAmendment,
  proposedNetworkPolicyAmendments,
}: Params): Amendment | null {
  const network = proposedNetworkPolicyAmendments?.find(({ action }) => action === 'allow')
  if (network) return { applyNetworkPolicyAmendment: { network_policy_amendment: network } }
  if (!proposedExecpolicyAmendment?.length) return null
  return { acceptWithExecpolicyAmendment: { execpolicy_amendment: proposedExecpolicyAmendment } }
}

function amendmentEffect(lasting: Amendment): string {
  if ('applyNetworkPolicyAmendment' in lasting) {
    const { host } = lasting.applyNetworkPolicyAmendment.network_policy_amendment
    return `${host} may be reached from every thread, in codex's own rules`
  }
  const words = lasting.acceptWithExecpolicyAmendment.execpolicy_amendment
  return `commands that begin with "${words.join(' ')}" run outside the sandbox without asking on every thread, in codex's own rules`
}
