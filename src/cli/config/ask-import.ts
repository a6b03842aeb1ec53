// Questions before an import: what only a person may allow, and whether to write at all.
import type { Allowed, Ask } from '../../config/index.ts'
import type { Surroundings } from '../process/index.ts'
import { type Asking, askKey, Keyboard } from '../prompts/index.ts'
import { Terminal, visibleLine } from '../screen/index.ts'

/** A key that was meant for something else must not answer. */
const DEAF_MS = 300

/** null when nobody can be asked: also where the change is not shown at the terminal that answers. */
export function askingAt(surroundings: Surroundings): Asking | null {
  const { stdin, stdout, stderr, interrupted } = surroundings
  if (!stdin.isTTY || !stdout.isTTY || !stderr.isTTY) return null
  return {
    terminal: new Terminal(surroundings),
    keyboard: new Keyboard(surroundings),
    interrupted,
    deafMs: DEAF_MS,
  }
}

export function confirm(asking: Asking, text: string): Promise<boolean> {
  return askKey(asking, {
    text: `${visibleLine(text)} [y/N] `,
    keys: { y: true },
    otherwise: false,
    interrupted: false,
  })
}

/** Each by itself, with what it is and where it would go. What was allowed on the command line is not asked. */
export async function askEach(asks: readonly Ask[], allowed: Allowed, asking: Asking): Promise<Allowed> {
  const secrets = new Set(allowed.secrets === 'all' ? [] : allowed.secrets)
  const variables = new Set(allowed.variables)
  const resolve = new Set(allowed.resolve)
  for (const { kind, key, text } of asks) {
    if (asking.interrupted.aborted) break
    asking.terminal.line(visibleLine(`${text.charAt(0).toUpperCase()}${text.slice(1)}?`))
    if (!(await confirm(asking, 'Do that?'))) continue
    if (kind === 'secret') secrets.add(key)
    else if (kind === 'variable') variables.add(key)
    else resolve.add(key)
  }
  return { secrets: allowed.secrets === 'all' ? 'all' : secrets, variables, resolve }
}
