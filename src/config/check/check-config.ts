// Everything that codex does not understand in a config.toml. Codex tells one thing at a time and only when asked to be
// strict: each is blanked out in a copy, and codex is asked again.
import { blanked, keyAt } from './key-at.ts'
import { knownKeys } from './known-keys.ts'
import { nearestName } from './nearest-name.ts'

/** What a strict codex says of a text: null when it accepts it. */
export type StrictCodex = (text: string) => Promise<StrictComplaint | null>

export interface StrictComplaint {
  /** null when it is not about a place in the text. */
  readonly line: number | null
  readonly column: number | null
  readonly detail: string
}

export interface ConfigProblem extends StrictComplaint {
  readonly kind: 'unknown-key' | 'bad-value'
  /** The keys that lead there. */
  readonly path: readonly string[]
  readonly suggestion: string | null
}

export interface ConfigCheck {
  readonly problems: readonly ConfigProblem[]
  /** Whether there may be more than was found. */
  readonly isCut: boolean
}

const MAX_PROBLEMS = 100
const UNKNOWN = /^unknown configuration field `([\s\S]*)`$/

export async function checkConfig(
  whole: string,
  { strict, features }: { strict: StrictCodex; features: readonly string[] },
): Promise<ConfigCheck> {
  const problems: ConfigProblem[] = []
  // The BOM is no column.
  let text = whole.startsWith('\uFEFF') ? whole.slice(1) : whole
  while (problems.length < MAX_PROBLEMS) {
    const complaint = await strict(text)
    if (complaint === null) return { problems, isCut: false }
    const key = placed(text, complaint)
    const unknown = UNKNOWN.test(complaint.detail)
    const path = key?.path ?? []
    const known = path[0] === 'features' && path.length === 2 ? features : knownKeys(path.slice(0, -1))
    problems.push({
      ...complaint,
      kind: unknown ? 'unknown-key' : 'bad-value',
      path,
      suggestion: unknown && path.length > 0 ? nearestName(path.at(-1)!, known) : null,
    })
    if (key === null) return { problems, isCut: true }
    const rest = blanked(text, key)
    if (rest === text) return { problems, isCut: true }
    text = rest
  }
  return { problems, isCut: true }
}

function placed(text: string, { line, column }: StrictComplaint) {
  if (line === null) return null
  try {
    return keyAt(text, line, column ?? 1)
  } catch {
    return null // not TOML: codex has said where
  }
}
