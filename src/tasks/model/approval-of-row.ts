// What is stored of a question, its audit and the standing rules, as everyone outside sees it.
import { parseRuleText, ruleReach } from '../../codex/index.ts'
import type { StoredApproval, StoredAudit, StoredRule } from '../../store/index.ts'
import type { Approval, AuditEntry, StandingRule } from './approval.ts'

export function toApproval(row: StoredApproval): Approval {
  return {
    id: row.id,
    taskId: row.task_id,
    kind: row.kind as Approval['kind'],
    question: JSON.parse(row.question),
    proposedRule: row.proposed_rule,
    status: row.status as Approval['status'],
    answer: row.answer === null ? null : JSON.parse(row.answer),
    by: row.decided_by as Approval['by'],
    actor: row.actor,
    rule: row.rule,
    why: row.why,
    createdAt: row.created_at,
    deadlineAt: row.deadline_at,
    settledAt: row.settled_at,
  }
}

export function toAuditEntry({ approval_id, task_id, decided_by, answer, ...rest }: StoredAudit): AuditEntry {
  return {
    ...rest,
    approvalId: approval_id,
    taskId: task_id,
    answer: answer === null ? null : JSON.parse(answer),
    by: decided_by as AuditEntry['by'],
  }
}

export function toRule(row: StoredRule): StandingRule {
  return {
    id: row.id,
    text: row.text,
    reach: reachOf(row.text),
    note: row.note,
    createdAt: row.created_at,
    createdBy: row.created_by,
    approvalId: row.approval_id,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    revokedBy: row.revoked_by,
  }
}

function reachOf(text: string): StandingRule['reach'] {
  const { rule } = parseRuleText(text)
  return rule && ruleReach(rule)
}
