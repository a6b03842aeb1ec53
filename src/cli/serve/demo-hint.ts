import { asTyped } from '../process/index.ts'
import { defaultCodexHome } from '../trust/index.ts'
import { mayLackLogin } from './may-lack-login.ts'

/** How to see something work, for people without a login; nothing for those who have one. */
export function demoHint(env: NodeJS.ProcessEnv, { isWanted }: { isWanted: boolean }): string[] {
  if (!isWanted && !mayLackLogin(defaultCodexHome(env))) return []
  const why = isWanted ? 'A demo is built in' : 'Codex is not logged in, so a demo is built in'
  return [
    `${why}: the real Codex, a scripted model, no account. Run it in the console, or in another terminal:`,
    '  drawbridge task start --demo --wait "fix the failing test"',
    ...(isWanted
      ? []
      : ['For the real thing log in: on the System page of the console, or with `drawbridge login`.']),
  ].map(asTyped)
}
