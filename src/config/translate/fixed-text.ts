// Commands, arguments and addresses: codex takes them literally, so everything in them must be filled in now, or the
// server cannot be imported.
import type { Interpolated } from '../sources/index.ts'
import type { Allowed, TranslationNotes } from './translation.ts'

export interface FixedTextContext {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly allowed: Allowed
  readonly out: TranslationNotes
}

/** The text; null, with the reason told, when a part of it has no value. `isSecret` tells of values filled in. */
export function fixedText(
  value: Interpolated,
  about: string,
  { env, allowed, out }: FixedTextContext,
): string | null {
  const texts = value.map((part) => {
    if ('text' in part) return part.text
    if ('unknown' in part) {
      out.refuse(
        `${about} has ${part.unknown}, which ${part.why}: write the server into config.toml with the value`,
      )
      return null
    }
    const { variable, fallback } = part
    const present = env[variable] ?? fallback
    if (allowed.resolve.has(variable) && present !== undefined && present !== null) return present
    out.refuse(
      `${about} has \${${variable}}, and Codex fills in no variables there: ${whatToDo(variable, present)}`,
    )
    if (present !== undefined && present !== null)
      out.ask({
        kind: 'resolve',
        key: variable,
        text: `write the present value of ${variable} into config.toml, for ${about}`,
      })
    return null
  })
  return texts.every((text) => text !== null) ? texts.join('') : null
}

function whatToDo(variable: string, present: string | null | undefined): string {
  return present === undefined || present === null
    ? `set ${variable} and import with --resolve ${variable}, or start the server by a script that reads it`
    : `import with --resolve ${variable} to write down its present value, or start the server by a script that reads it`
}
