import type { Migrations } from '../migrate.ts'

export interface Finding {
  /** `damage`: the file itself. `reference`: a row refers to one that is not there. `rule`: against a rule of ours. */
  readonly kind: 'damage' | 'schema' | 'reference' | 'rule'
  readonly message: string
}

export const MAX_FINDINGS = 100

export function schemaFindings(done: readonly string[], migrations: Migrations): Finding[] {
  const known = Object.keys(migrations)
  const newer = done.filter((name) => !known.includes(name))
  const missing = known.filter((name) => !done.includes(name))
  return [
    ...newer.map((name) => `it has ${name}, which only a newer Drawbridge knows`),
    ...missing.map((name) => `it has not had ${name} yet; the next start of the service does that`),
  ].map((message) => ({ kind: 'schema', message }))
}
