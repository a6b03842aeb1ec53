import type { Token } from '../../api/index.ts'
import { asTyped, EXIT, type Surroundings } from '../process/index.ts'
import { ago, type Cell, printJson, printTable } from '../screen/index.ts'
import { type ServiceFlags, serviceClient } from '../service/index.ts'
import { ceilingText, mayText } from './scope-text.ts'

export async function listTokens(
  flags: ServiceFlags & { revoked?: boolean },
  surroundings: Surroundings,
): Promise<number> {
  const all = await (await serviceClient(flags, surroundings)).tokens()
  const shown = flags.revoked ? all : all.filter(({ state }) => state === 'valid' || state === 'unreadable')
  if (flags.json) printJson(surroundings, shown)
  else if (shown.length === 0)
    surroundings.stderr.write(asTyped('No named tokens. Make one: drawbridge token add <name>\n'))
  else printTable(surroundings, tokenTable(shown, Date.now()))
  return EXIT.done
}

export function tokenTable(tokens: readonly Token[], now: number): Cell[][] {
  return [
    ['NAME', 'STATE', 'USED', 'MAY', 'AT MOST'].map((text): Cell => ({ text, colour: 'dim' })),
    ...tokens.map((token) => [
      { text: token.name },
      stateCell(token, now),
      { text: token.usedAt === null ? 'never' : ago(token.usedAt, now) },
      { text: token.scope === null ? '–' : mayText(token.scope) },
      { text: token.scope === null ? '–' : ceilingText(token.scope) },
    ]),
  ]
}

function stateCell({ state, expiresAt }: Token, now: number): Cell {
  if (state === 'unreadable') return { text: 'of a later version', colour: 'yellow' }
  if (state !== 'valid') return { text: state, colour: 'dim' }
  return { text: expiresAt === null ? 'valid' : `ends ${ago(expiresAt, now)}`, colour: 'green' }
}
