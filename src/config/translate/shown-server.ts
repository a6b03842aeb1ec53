// A server as people are shown it before they say yes. Only what is a secret by itself is hidden, never every text that is
// a secret elsewhere: else a source could name its command as a secret, and nobody would see what runs.
import type { CodexServer } from './codex-server.ts'
import { shownArguments, shownUrl, shownValue, withoutFilledIn } from './secret-values.ts'

/** `filledIn`: secret values of the user's own environment that were written into it. */
export function shownServer(table: CodexServer, filledIn: readonly string[]): CodexServer {
  const { command, args, cwd, env, url, http_headers } = table
  const fixed = (text: string) => withoutFilledIn(text, filledIn)
  return {
    ...table,
    ...(command !== undefined && { command: fixed(command) }),
    ...(args && { args: shownArguments(args.map(fixed)) }),
    ...(cwd !== undefined && { cwd: fixed(cwd) }),
    ...(env && { env: shownValues(env) }),
    ...(url !== undefined && { url: shownUrl(fixed(url)) }),
    ...(http_headers && { http_headers: shownValues(http_headers) }),
  }
}

function shownValues(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, shownValue(name, value)]))
}
