import { commandText } from '../../util/command-text.ts'
import type { Escalation } from '../policy/index.ts'
import type { protocol } from '../protocol/index.ts'
import { plainWords } from '../rules/index.ts'
import { about, type Facts, type Family, notOffered } from './family.ts'
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
      escalation: escalationOf(params, facts),
      choices: choicesFor(params, facts),
    }
  },

  reply(answer, params, facts) {
    const choices = choicesFor(params, facts)
    if (!choices.some(({ word }) => word === answer)) notOffered(answer, choices)
    if (answer === 'once') return { decision: 'accept' }
    if (answer === 'session') return { decision: 'acceptForSession' }
    if (answer === 'always') return { decision: amendment(params)! }
    return { decision: answer === 'cancel' ? 'cancel' : 'decline' }
  },
}

function title({ command: argv, kind, networkApprovalContext: network }: Params): string {
  const text = argv == null ? null : commandText(argv)
  if (network) return `reach ${network.host} over ${network.protocol}`
  return kind === 'writeStdin' ? `type into ${text ?? 'a running command'}` : `run ${text ?? 'a command'}`
}

/**
 * codex never lists `session` and `deny`, yet both work. An amendment that it proposes but leaves out would work too, and
 * let through more than is asked: the command outside the sandbox, where only a part of the sandbox was to be opened.
 */
function choicesFor(params: Params, facts: Facts): Choice[] {
  const lists = (decision: Decision) =>
    params.availableDecisions?.some((offered) => JSON.stringify(offered) === JSON.stringify(decision)) ?? true
  // Under a profile that denies files codex's own rule only stops the asking: the command then runs inside, and fails.
  const isHeld = escalationOf(params, facts)?.protectedFiles === false
  const lasting = isHeld ? null : amendment(params)
  const isHost = params.networkApprovalContext != null
  const not = isHost ? 'The host is not reached' : 'It does not run'
  const all: (Choice | false)[] = [
    lists('accept') && { word: 'once', effect: onceEffect(params, facts), lasts: 'now' },
    // For typed text it would change nothing: every line is asked about again.
    params.kind !== 'writeStdin' && { word: 'session', effect: sessionEffect(params), lasts: 'thread' },
    lasting !== null &&
      lists(lasting) && { word: 'always', effect: amendmentEffect(lasting), lasts: 'for good' },
    { word: 'deny', effect: `${not}. Codex is told, and the turn goes on.`, lasts: 'now' },
    lists('cancel') && { word: 'cancel', effect: `${not}, and the turn ends.`, lasts: 'now' },
  ]
  return all.filter((choice) => choice !== false)
}

/** Only a command as a whole leaves the sandbox: one with added permissions stays in it, and typed text runs where it is. */
function escalationOf(
  { kind, additionalPermissions, networkApprovalContext }: Params,
  { escalation }: Pick<Facts, 'escalation'>,
): Escalation | null {
  return networkApprovalContext || kind === 'writeStdin' || additionalPermissions ? null : escalation
}

function sessionEffect({ additionalPermissions, networkApprovalContext }: Params): string {
  if (networkApprovalContext) return "Don't ask again for this host in this task."
  const where = additionalPermissions
    ? 'It stays in the sandbox, with these permissions added.'
    : 'It may leave the sandbox.'
  return `Don't ask again for this command in this task. ${where}`
}

function onceEffect(params: Params, facts: Facts): string {
  const { kind, additionalPermissions, networkApprovalContext } = params
  if (networkApprovalContext) return 'The host is reached now.'
  if (kind === 'writeStdin') return 'It is typed in now.'
  if (additionalPermissions) return 'Runs now, once, in the sandbox with these permissions added.'
  return `Runs now, once. May leave the sandbox${reach(escalationOf(params, facts))}.`
}

/** What that means, in words. */
function reach(escalation: Escalation | null): string {
  if (escalation === null) return ''
  const { network, protectedFiles, isConfined } = escalation
  if (protectedFiles) return ': every file, and the network'
  if (isConfined)
    return `: it then sees and writes all your files but logins, ${network ? 'with' : 'without'} network`
  return network ? ', with network; logins stay out of reach' : '; network and logins stay out of reach'
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
    return `Don't ask again for ${host}, in every task: written into codex's own rules.`
  }
  const words = lasting.acceptWithExecpolicyAmendment.execpolicy_amendment
  return `Don't ask again for commands that begin with "${words.join(' ')}", in every task: written into codex's own rules. They may leave the sandbox.`
}
