import type { Command } from 'commander'
import { type Adding, addExamples } from '../help/index.ts'
import type { Surroundings } from '../process/index.ts'
import { acting, addDataDirOption } from '../service/index.ts'
import type { InstallFlags } from './install.ts'
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
  addInstallCommand(mcp, surroundings)
  addExamples(mcp, [
    ['drawbridge mcp --as reviewer', 'started by a client, with another token'],
    ['drawbridge mcp --catalogue', 'what the client is shown'],
  ])
}

/** Loading what describes the clients for every `--help` would cost more than naming them here. */
const CLIENTS =
  'claude-code, claude-desktop, codex, cursor, vscode, windsurf, zed, gemini, antigravity, amp, copilot'

function addInstallCommand(mcp: Command, surroundings: Surroundings): void {
  const install = mcp
    .command('install')
    .summary('enter Drawbridge in the settings of another program')
    .description(
      'Prints the entry with which another program starts `drawbridge mcp`. With --write it is put into the settings of that program: the change is shown and asked about first, and everything else in the file stays as it is.',
    )
    .requiredOption('--client <name>', CLIENTS)
    .option('--as <token>', 'let it act as this named token')
    .option('--file <path>', "in place of the program's own file, such as .mcp.json of a project")
    .option('--write', 'put it into the file')
    .option('--undo', 'take it out again')
    .option('--yes', 'do not ask')
  addExamples(install, [
    'drawbridge mcp install --client cursor',
    ['drawbridge mcp install --client claude-code --write', 'shows the change and asks'],
    'drawbridge mcp install --client codex --undo',
  ])
  addDataDirOption(install).action(
    acting(surroundings, async (flags: InstallFlags) => {
      const { install: run } = await import('./install.ts')
      return run(flags, surroundings)
    }),
  )
}
