import type { Approver } from '../../codex/index.ts'

/** Where nobody is there to answer: names the rule because of which somebody was to be asked. */
export function namingTheRule(approver: Approver): Approver {
  return async (question, context) => {
    const decided = await approver(question, context)
    if (typeof decided !== 'object' || !('by' in decided) || decided.by !== 'default') return decided
    const { ruling } = context
    if (!ruling?.rule) return decided
    return { ...decided, why: [decided.why, ruling.why].filter(Boolean).join(', and ') }
  }
}
