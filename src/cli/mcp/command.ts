import type { Command } from 'commander'
import { type Adding, addExamples } from '../help/index.ts'
import type { Surroundings } from '../process/index.ts'
import { acting, addDataDirOption } from '../service/index.ts'
import type { McpFlags } from './serve-stdio.ts'

export function addMcpCommand(program: Command, surroundings: Surroundings, { isListed }: Adding): void {
  const mcp = program
    .command('mcp')
    .summary('tools for other agents, over MCP on stdio')
    .description(
      'Serves MCP on stdin and stdout: tools with which another agent starts, follows and steers Codex tasks. Finds the service, or starts it.',
    )
    .option('--as <token>', 'act as this named token', 'mcp')
    .option('--catalogue', 'print the tools as a client lists them, and about how many tokens they are')
    .enablePositionalOptions()
  addDataDirOption(mcp).action(
    acting(surroundings, async (flags: McpFlags) => {
      const { printCatalogue, serveOnStdio } = await import('./serve-stdio.ts')
      return flags.catalogue ? printCatalogue(surroundings) : serveOnStdio(flags, surroundings)
    }),
  )
  if (isListed) return
  addExamples(mcp, [
    ['claude mcp add drawbridge -- drawbridge mcp', 'for Claude Code'],
    ['drawbridge mcp --catalogue', 'what the client is shown'],
  ])
}
