// Whether a rule speaks of a claim. An allow must be certain of every fact; a deny or ask holds on suspicion.
import type { Claim, PathClaim } from './claims.ts'
import { matchesGlob, matchesName, mayMatchGlob } from './glob.ts'
import { commandMatches, names } from './match-command.ts'
import type { Places } from './places.ts'
import { fold } from './plain-text.ts'
import type { Conditions, PathMatch, Rule } from './rule.ts'

export interface Facts {
  readonly places: Places
  readonly labels: readonly string[]
  readonly threadId: string
}

export function ruleMatches(rule: Rule, claim: Claim, facts: Facts): boolean {
  const isAllow = rule.answer === 'allow'
  return conditionsHold(rule.match, { claim, facts, isAllow }) && kindMatches(rule, claim, facts)
}

function kindMatches(rule: Rule, claim: Claim, { places }: Facts): boolean {
  const isAllow = rule.answer === 'allow'
  switch (rule.kind) {
    case 'command':
      return claim.type === 'command' && commandMatches(rule.match, claim, { places, isAllow })
    case 'path':
      if (claim.type === 'path')
        return isAllow ? covers(rule.match, claim, places) : touches(rule.match, claim, places)
      if (claim.type !== 'command' || isAllow || rule.match.isWriting === true) return false
      return names(rule.match.paths, claim, places)
    case 'mcp': {
      if (claim.type !== 'mcp') return false
      const { server, tool, isReadOnly } = rule.match
      const isLike = nameMatches(claim.server, server, isAllow) && nameMatches(claim.tool, tool, isAllow)
      return isLike && (isReadOnly === undefined || claim.isReadOnly === isReadOnly)
    }
    case 'host':
      return claim.type === 'host' && hostMatches(claim.host, rule.match.host, isAllow)
    case 'elicitation':
      return claim.type === 'elicitation' && nameMatches(claim.server, rule.match.server, isAllow)
    case 'network':
    case 'input':
      return claim.type === rule.kind
  }
}

interface Judged {
  readonly claim: Claim
  readonly facts: Facts
  readonly isAllow: boolean
}

function conditionsHold({ cwd, labels, thread }: Conditions, { claim, facts, isAllow }: Judged): boolean {
  if (labels && !labels.every((label) => facts.labels.includes(label))) return false
  if (thread !== undefined && thread !== facts.threadId) return false
  if (cwd === undefined) return true
  const asked = claim.type === 'command' ? claim.part.cwd : claim.type === 'path' ? claim.cwd : null
  const real = asked === null ? null : facts.places.real(asked, null)
  if (real === null) return !isAllow
  return isAllow ? matchesGlob(real, cwd, facts.places) : mayMatchGlob(real, cwd, facts.places)
}

function covers({ paths }: PathMatch, claim: PathClaim, places: Places): boolean {
  const real = places.real(claim.path, claim.cwd)
  if (real === null) return false
  const reach = claim.isTree ? 'whole-tree' : 'path'
  const { roots, homes } = places
  return paths.some((glob) => matchesGlob(real, glob, { roots, homes, reach }))
}

function touches({ paths }: PathMatch, claim: PathClaim, places: Places): boolean {
  const reach = claim.isTree ? 'some-of-tree' : 'path'
  const { roots, homes } = places
  const meant = places.meant(claim.path, claim.cwd)
  return meant.some((path) => paths.some((glob) => mayMatchGlob(path, glob, { roots, homes, reach })))
}

function nameMatches(name: string, pattern: string, isAllow: boolean): boolean {
  return matchesName(name, pattern) || (!isAllow && matchesName(fold(name), fold(pattern)))
}

/** `*.example.com` is every host below example.com, not example.com itself. */
function hostMatches(host: string, pattern: string, isAllow: boolean): boolean {
  if (isAllow && !/^[a-z0-9._:[\]-]+$/i.test(host)) return false
  return matchesName(fold(host).replace(/\.$/, ''), pattern.toLowerCase())
}
