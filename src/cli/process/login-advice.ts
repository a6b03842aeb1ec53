import { asTyped, quoted } from './typed-name.ts'

/** What to do without a login. `codexHome`: the home that has none, where it is not the default. */
export function loginAdvice(codexHome: string | null): string {
  const [, host] = /^ssh:(.+)$/.exec(codexHome ?? '') ?? []
  if (host) return `Log in on ${host}, as the user that ssh logs in as: codex login --device-auth`
  const home = codexHome === null ? '' : ` --codex-home ${quoted(codexHome)}`
  return `${asTyped('Run `drawbridge login')}${home}${asTyped('`, or try `drawbridge demo`, which needs no account.')}`
}
