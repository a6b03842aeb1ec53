// What is never in a snapshot, wherever it is: logins of codex, and its databases, which name absolute paths.
import path from 'node:path'

const HOME_FILES = /^(?:auth\.json|\.credentials\.json|.*\.sqlite(?:-[a-z]+)?)$/
/** A login has some kilobytes. */
export const MAX_LOGIN_BYTES = 256 * 1024

/** A file of a codex home that holds a login or is an index of it. `homes`: the folders that are known to be such. */
export function isHomeSecret(name: string, folder: string, homes: ReadonlySet<string>): boolean {
  return HOME_FILES.test(name) && (path.basename(folder) === '.codex' || homes.has(folder))
}

/** A copy of a login, in whatever folder: by its content. */
export function isLogin(name: string, content: Buffer): boolean {
  if (name !== 'auth.json' || content.length > MAX_LOGIN_BYTES) return false
  try {
    const { tokens, OPENAI_API_KEY } = Object(JSON.parse(content.toString('utf8')))
    return typeof OPENAI_API_KEY === 'string' || typeof Object(tokens).refresh_token === 'string'
  } catch {
    return false
  }
}
