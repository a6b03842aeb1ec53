// The answer the rules give to a question, and why. Pure: the clock and the file system come from the caller.
import type { Asked } from './asked.ts'
import { type Claim, claimsOf } from './claims.ts'
import { type Facts, ruleMatches } from './match-rule.ts'
import { Places, type Resolve } from './places.ts'
import type { Answer, Rule } from './rule.ts'
import { type Side, sideText } from './side.ts'

export interface JudgedPart {
  /** What is judged: one command, one written path, one host … */
  readonly text: string
  readonly answer: Answer
  readonly rule: Rule | null
  readonly why: string
}

export interface Decision {
  readonly answer: Answer
  /** The rule that decided; null when no rule did. */
  readonly rule: Rule | null
  /** One sentence for a person. */
  readonly why: string
  readonly parts: readonly JudgedPart[]
  /** Where the command would run; `outside` too where nobody can tell. Null for everything else that is asked. */
  readonly sandbox: Side | null
}

export interface Surroundings {
  /** Milliseconds since 1970. */
  readonly now: number
  readonly resolve: Resolve
}

/**
 * Judges every part by itself: deny beats ask, ask beats allow, and what no rule allows is asked. The whole gets the
 * strictest answer of its parts. Never throws, as long as `resolve` does not.
 */
export function decide(rules: readonly Rule[], asked: Asked, { now, resolve }: Surroundings): Decision {
  const places = new Places(asked.workspaceRoots, resolve)
  const facts: Facts = { places, labels: asked.labels, threadId: asked.threadId }
  const sandbox = asked.kind !== 'command' ? null : asked.isEscalated ? 'outside' : 'inside'
  const inForce = rules.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > now)
  const parts = claimsOf(asked, places).flatMap((claim) => judge(claim, inForce, facts))
  if (parts.length === 0)
    return { answer: 'ask', rule: null, why: 'there is nothing a rule could judge', parts, sandbox }
  for (const answer of ['deny', 'ask'] as const) {
    const strict = parts.find((part) => part.answer === answer)
    if (strict) return { answer, rule: strict.rule, why: strict.why, parts, sandbox }
  }
  return { answer: 'allow', rule: parts[0]!.rule, why: whyAllowed(parts), parts, sandbox }
}

function judge(claim: Claim, rules: readonly Rule[], facts: Facts): JudgedPart[] {
  const speaking = rules.filter((rule) => ruleMatches(rule, claim, facts))
  const rule = ['deny', 'ask', 'allow']
    .flatMap((answer) => speaking.filter((each) => each.answer === answer))
    .at(0)
  const own = verdict(claim, rule)
  if (claim.type !== 'command') return [own]
  const inner = claim.inner.flatMap((inside) => judge(inside, rules, facts))
  // A rule that names every word names the inner ones too.
  const isNamed = rule?.answer === 'allow' && rule.kind === 'command' && rule.match.command !== undefined
  return [own, ...(isNamed ? inner.filter((part) => part.rule !== null) : inner)]
}

function verdict(claim: Claim, rule: Rule | undefined): JudgedPart {
  const shown = `\`${shorten(claim.text)}\``
  if (rule && (claim.type !== 'unread' || rule.answer === 'deny')) {
    const note = rule.note === undefined ? '' : `: ${rule.note}`
    const verb = { allow: 'allows', deny: 'denies', ask: 'asks for' }[rule.answer]
    const where = rule.answer === 'allow' ? whereOf(claim) : ''
    return {
      text: claim.text,
      answer: rule.answer,
      rule,
      why: `rule ${rule.title ?? rule.id} ${verb} ${shown}${where}${note}`,
    }
  }
  return { text: claim.text, answer: 'ask', rule: null, why: whyAsked(claim, shown) }
}

function whyAsked(claim: Claim, shown: string): string {
  if (claim.type === 'unread') return `${shown} cannot be judged by a rule: ${claim.why}`
  if (claim.type !== 'command') return `no rule allows ${shown}`
  const { unread, carried, env } = claim.part
  if (unread !== null) return `${shown} cannot be judged by a rule: ${unread}`
  if (carried) return `no rule names all of ${shown}: ${carried.why}`
  const where = whereOf(claim)
  return `no rule allows ${shown}${where}${env.length > 0 ? ` with ${env.join(', ')} set` : ''}`
}

function whereOf(claim: Claim): string {
  return claim.type === 'command' ? ` ${sideText(claim.isEscalated ? 'outside' : 'inside')}` : ''
}

function whyAllowed(parts: readonly JudgedPart[]): string {
  return parts.length === 1
    ? parts[0]!.why
    : `every part is allowed: ${parts.map(({ why }) => why).join('; ')}`
}

function shorten(text: string): string {
  return text.length > 120 ? `${text.slice(0, 119)}…` : text
}
