// Where notices go: reading a target, and showing it without its secrets.
export {
  type BadTarget,
  type NamedTargets,
  parseTarget,
  resolveTarget,
  showTargetText,
} from './parse-target.ts'
export {
  canDecode,
  secretsOf,
  secretsToRegister,
  showTarget,
  showUrl,
  type Target,
  type TargetKind,
  type TargetOf,
} from './target.ts'
