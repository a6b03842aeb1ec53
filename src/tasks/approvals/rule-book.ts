// The standing rules: everyone sees them, anyone can revoke them, and every question is held against them from then on.
import { uuidv7 } from 'uuidv7'
import { type KnownPaths, lookUpPaths, parseRuleText, type RealPath, redact } from '../../codex/index.ts'
import {
  changeRules,
  type Db,
  type EventLog,
  insertRule,
  listRules,
  revokeRule,
  taskRow,
} from '../../store/index.ts'
import { type Approval, type Caller, type StandingRule, TaskError, toRule } from '../model/index.ts'
import { checkRules } from './check-rules.ts'
import { judgingOf } from './gate.ts'
import { allows } from './proposed-rule.ts'

export interface RuleBookParts {
  readonly log: EventLog
  readonly reader: Db
  readonly now: () => number
}

export class RuleBook {
  readonly #parts: RuleBookParts

  constructor(parts: RuleBookParts) {
    this.#parts = parts
  }

  async list({ revoked }: { revoked: boolean }): Promise<readonly StandingRule[]> {
    return (await listRules(this.#parts.reader, { revoked })).map(toRule)
  }

  /** The same rule again is the one that is there. */
  async add(
    { text, note }: { text: string; note?: string | undefined },
    { actor }: Caller,
  ): Promise<StandingRule> {
    checkRules([text])
    const row = {
      ...newRule({ text, actor, approvalId: null, now: this.#parts.now() }),
      note: note === undefined ? null : redact(note),
    }
    return this.#parts.log.change(async ({ db }) => {
      await changeRules(db)
      const standing = await listRules(db, { revoked: false })
      const same = standing.find(
        (rule) => rule.text === text && (rule.expires_at ?? Number.POSITIVE_INFINITY) > row.created_at,
      )
      if (same) return toRule(same)
      await insertRule(db, row)
      return toRule(row)
    })
  }

  async revoke(ruleId: string, { actor }: Caller): Promise<StandingRule> {
    const columns = { revoked_at: this.#parts.now(), revoked_by: actor }
    const row = await this.#parts.log.change(async ({ db }) => {
      await changeRules(db)
      return revokeRule(db, ruleId, columns)
    })
    if (!row) throw new TaskError('rule-not-found', `there is no standing rule ${ruleId}`)
    return toRule(row)
  }

  /** A row for a rule that lets this question through. Throws when it would not: it would be asked again next time. */
  async ruleFor(
    approval: Approval,
    { text, actor, realPath }: { text: string; actor: string; realPath: RealPath },
  ) {
    checkRules([text])
    const { reader, now } = this.#parts
    const { taskId, question } = approval
    const row = await taskRow(reader, taskId)
    if (question.host !== undefined) throw notForHosts(question.host)
    const rules = await judgingOf(reader, row!, { now: now() })
    const isAllowed = (paths: KnownPaths) => allows(text, question, { ...rules, paths })
    if (!isAllowed(await lookUpPaths(isAllowed, realPath)))
      throw new TaskError(
        'bad-answer',
        `the rule "${text}" would not allow what is asked: it would be asked again next time`,
      )
    return newRule({ text, actor, approvalId: approval.id, now: now() })
  }
}

function newRule({
  text,
  actor,
  approvalId,
  now,
}: {
  text: string
  actor: string
  approvalId: string | null
  now: number
}) {
  const { rule } = parseRuleText(text)
  return {
    id: uuidv7(),
    text,
    note: null,
    created_at: now,
    created_by: actor,
    approval_id: approvalId,
    expires_at: rule?.expiresAt ?? null,
    revoked_at: null,
    revoked_by: null,
  }
}

function notForHosts(host: string): TaskError {
  const message = `a standing rule from a question on host ${host} would hold for other machines too: answer once or session, or add a rule with label=host:${host}`
  return new TaskError('bad-answer', message)
}
