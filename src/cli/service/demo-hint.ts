import { defaultCodexHome } from '../trust/guard.ts'
import { asTyped } from '../typed-name.ts'
import { mayLackLogin } from './may-lack-login.ts'

/** How to see something work, for whoever has no login; nothing for those who have. */
export function demoHint(env: NodeJS.ProcessEnv, { isWanted }: { isWanted: boolean }): string[] {
  if (!isWanted && !mayLackLogin(defaultCodexHome(env))) return []
  const why = isWanted ? 'A demo model is built in' : 'Codex is not logged in, so a demo model is built in'
  return [
    `${why}: the real Codex, scripted answers, no account. Try, in another terminal:`,
    '  drawbridge task start --demo --wait "what is in this folder?"',
    ...(isWanted
      ? []
      : ['For the real thing log in: on the System page of the console, or with `drawbridge login`.']),
  ].map(asTyped)
}
