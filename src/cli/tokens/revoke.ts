import type { Token } from '../../api/index.ts'
import { EXIT, type Surroundings } from '../process/index.ts'
import { printJson, tell } from '../screen/index.ts'
import { type ServiceFlags, serviceClient } from '../service/index.ts'

/** What goes wrong with one is told with its name, and the others are revoked all the same. */
export async function revokeTokens(
  names: readonly string[],
  flags: ServiceFlags,
  surroundings: Surroundings,
): Promise<number> {
  const client = await serviceClient(flags, surroundings)
  const revoked: Token[] = []
  for (const name of names) {
    try {
      revoked.push(await client.revokeToken(name))
      if (!flags.json) tell(surroundings, `${name} is let in no longer.`)
    } catch (error) {
      if (surroundings.interrupted.aborted) throw error
      const { plainError } = await import('../errors/index.ts')
      tell(surroundings, `drawbridge: ${name}: ${plainError(error).text}`)
    }
  }
  if (flags.json) printJson(surroundings, revoked)
  return revoked.length === names.length ? EXIT.done : EXIT.failed
}
