// `drawbridge mcp`: the tools on stdio, for one client.
import { EXIT, type Surroundings } from '../process/index.ts'
import { tell } from '../screen/index.ts'
import type { ServiceFlags } from '../service/index.ts'
import { remoteTasks } from './remote-tasks.ts'
import { ServiceLink } from './service-link.ts'

export interface McpFlags extends ServiceFlags {
  readonly as: string
  readonly catalogue?: boolean
}

export async function serveOnStdio(flags: McpFlags, surroundings: Surroundings): Promise<number> {
  const { env, stdin, stdout, interrupted } = surroundings
  const { serveMcp } = await import('../../mcp/index.ts')
  const link = new ServiceLink(flags, surroundings)
  // Started before the client asks: its first call does not wait for it, and what is wrong is told on stderr at once.
  void link
    .call(async () => undefined, { mayStart: true })
    .catch((error: unknown) => tell(surroundings, String(error)))
  const caller = {
    tasks: remoteTasks(link),
    by: { actor: 'mcp' },
    scope: flags.as,
    mayAnswer: true,
    defaults: { cwd: process.cwd(), codexHome: env.CODEX_HOME || null },
    // A client has one connection: the service counts what it asks there.
    hold: () => () => undefined,
    onError: (error: unknown) => tell(surroundings, `drawbridge mcp: ${String(error)}`),
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
