// Commands, arguments and addresses: codex takes them literally, so everything in them must be filled in now, or the
// server cannot be imported.
import type { FoundServer, Interpolated } from '../sources/index.ts'
import { isSecretNamed, shownValue } from './secret-values.ts'
import { type Allowed, askedOf, type TranslationNotes } from './translation.ts'

export interface FixedTextContext {
  readonly server: FoundServer
  readonly env: Readonly<Record<string, string | undefined>>
  readonly allowed: Allowed
  readonly out: TranslationNotes
}

/** The text; null, with the reason told, when a part of it has no value. */
export function fixedText(value: Interpolated, about: string, context: FixedTextContext): string | null {
  const texts = value.map((part) => {
    if ('text' in part) return part.text
    if ('unknown' in part) {
      context.out.refuse(
        `${about} has ${part.unknown}, which ${part.why}: write the server into config.toml with the value`,
      )
      return null
    }
    return filledIn(part, about, context)
  })
  return texts.every((text) => text !== null) ? texts.join('') : null
}

/** A yes at the terminal is for this place alone; `--resolve` is for a name, and not for secrets. */
function filledIn(
  { variable, fallback }: { variable: string; fallback: string | null },
  about: string,
  { server, env, allowed, out }: FixedTextContext,
): string | null {
  const own = env[variable]
  const present = own ?? fallback
  // A default stands in the source, which must not be able to hide it.
  const isSecret = own !== undefined && isSecretNamed(variable, own)
  const asked = askedOf(server, `${about} ${variable}`)
  const isAllowed = allowed.resolve.has(variable) && (!isSecret || allowed.secrets === 'all')
  if (present !== null && (isAllowed || allowed.resolve.has(asked.key))) {
    if (isSecret) out.fillIn(own)
    return present
  }
  const flags = `--resolve ${variable}${isSecret ? ' --with secrets' : ''}`
  out.refuse(
    `${about} has \${${variable}}, and Codex fills in no variables there: ${whatToDo(variable, present, flags)}`,
  )
  if (present !== null)
    out.ask({
      kind: 'resolve',
      key: asked.key,
      text: `write the present value of ${variable} (${shownValue(variable, present)}${isSecret ? ', a secret' : ''}) into config.toml, for ${about} of ${asked.where}`,
    })
  return null
}

function whatToDo(variable: string, present: string | null, flags: string): string {
  return present === null
    ? `set ${variable} and import with ${flags}, or start the server by a script that reads it`
    : `import with ${flags} to write down its present value, or start the server by a script that reads it`
}
