import { type FoundServer, plainText, writtenText } from '../sources/index.ts'
import { isSecretNamed, secretParts } from './secret-values.ts'

/** Shorter ones are parts of many words, and are not hidden. */
const MIN_SECRET = 4

/**
 * A variable or header whose secret also stands in what is run or connected to; null when there is none. Such a text
 * cannot be both hidden and shown.
 */
export function repeatedSecret({ command, args, url, env, headers }: FoundServer): string | null {
  const fixed = [command, ...args, url].flatMap((value) => (value ? [writtenText(value)] : []))
  const named = [
    ...Object.entries(env).map(([name, value]) => ({ about: `env.${name}`, name, value })),
    ...Object.entries(headers).map(([name, value]) => ({ about: `headers.${name}`, name, value })),
  ]
  const found = named.find(({ name, value }) => {
    const text = plainText(value)
    if (text === null || text.length < MIN_SECRET || !isSecretNamed(name, text)) return false
    return [text, ...secretParts(text)].some((secret) => fixed.some((each) => each.includes(secret)))
  })
  return found?.about ?? null
}
