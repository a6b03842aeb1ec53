// `drawbridge mcp`: the tools on stdio, for one client.
import { EXIT, errorText, type Surroundings } from '../process/index.ts'
import { tell } from '../screen/index.ts'
import type { ServiceFlags } from '../service/index.ts'
import { remoteTasks } from './remote-tasks.ts'
import { ServiceLink } from './service-link.ts'

export interface McpFlags extends ServiceFlags {
  readonly as: string
  readonly catalogue?: boolean
}

export async function serveOnStdio(flags: McpFlags, surroundings: Surroundings): Promise<number> {
  const { stdin, stdout, interrupted } = surroundings
  const { mayAnswerBy, serveMcp } = await import('../../mcp/index.ts')
  const link = new ServiceLink(flags, surroundings)
  const onError = (error: unknown) => tell(surroundings, `drawbridge mcp: ${errorText(error)}`)
  // Before the client asks: its first call does not wait for the start, and what is wrong is told on stderr at once.
  void link.call(async () => undefined, { mayStart: true }).catch(onError)
  const caller = {
    tasks: remoteTasks(link),
    // The service knows it by its token.
    by: { actor: `token:${flags.as}` },
    scope: flags.as,
    mayAnswer: (task?: Parameters<typeof mayAnswerBy>[1]) => {
      const { id: tokenId, scope } = link.token ?? {}
      return tokenId !== undefined && scope != null && mayAnswerBy({ tokenId, may: scope.may }, task)
    },
    defaultCwd: process.cwd(),
    // The service counts what it is asked there.
    hold: () => () => undefined,
    onError,
  }
  await serveMcp(caller, { input: stdin, output: stdout }, { signal: interrupted })
  return EXIT.done
}

/** What a client's model reads before anything else, and what it costs. */
export async function printCatalogue({ stdout, stderr }: Surroundings): Promise<number> {
  const { catalogue } = await import('../../mcp/index.ts')
  const { tools, tokens } = await catalogue()
  stdout.write(`${JSON.stringify({ tools }, null, 2)}\n`)
  stderr.write(`${tools.length} tools, about ${tokens} tokens\n`)
  return EXIT.done
}
