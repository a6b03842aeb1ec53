import type { Command } from 'commander'
import { type Adding, addExamples } from '../help/index.ts'
import { EXIT, type Surroundings } from '../process/index.ts'
import { printJson, printTable } from '../screen/index.ts'
import { acting, addServiceOptions, type ServiceFlags, serviceClient } from '../service/index.ts'

const HELP = `
Tools are what the model can call besides its own: the tools of a module (a file that exports what defineTool returns),
an MCP server, or what Drawbridge brings along (drawbridge_…). They are named in settings.json, under "tools". A task gets
those it asks for (\`drawbridge task start --tool <name>\`) and those that one of its labels brings. One that cannot be
used is listed with the reason; tasks that want it are refused.`

export function addToolsCommand(program: Command, surroundings: Surroundings, { isListed }: Adding): void {
  const tools = program
    .command('tools')
    .summary('tools that tasks can get, and trying one')
    .description('Tools that tasks can get: of modules and MCP servers in settings.json, and built in.')
  if (isListed) return
  addList(tools, surroundings)
  addCall(tools, surroundings)
  addExamples(
    tools,
    [
      'drawbridge tools list',
      [`drawbridge tools call weather '{"city":"Oslo"}'`, 'as the model would'],
      ['drawbridge task start --tool weather "is it dry in Oslo?"', 'a task that has it'],
    ],
    HELP,
  )
}

function addList(tools: Command, surroundings: Surroundings): void {
  const list = tools
    .command('list')
    .alias('ls')
    .summary('what there is, and what cannot be used')
    .description(
      'Lists what tasks can get, by name: of what kind it is, for which labels, and what is wrong.',
    )
  addServiceOptions(list).action(
    acting(surroundings, async (flags: ServiceFlags) => {
      const found = await (await serviceClient(flags, surroundings)).tools()
      if (flags.json) printJson(surroundings, found)
      else {
        const { toolTable } = await import('./tool-table.ts')
        printTable(surroundings, toolTable(found))
      }
      return EXIT.done
    }),
  )
  addExamples(list, [
    'drawbridge tools list',
    `drawbridge tools list --json | jq -r '.[] | select(.problem).name'`,
  ])
}

function addCall(tools: Command, surroundings: Surroundings): void {
  const call = tools
    .command('call')
    .summary('call a tool of a module, to try it')
    .description(
      'Calls a tool of a module in the service, as the model would, and prints what it would be told.',
    )
    .argument('<tool>', 'its name')
    .argument('[arguments]', 'a JSON object', '{}')
  addServiceOptions(call).action(
    acting(surroundings, async (tool: string, given: string, flags: ServiceFlags) => {
      const { callTool } = await import('./call-tool.ts')
      return callTool({ tool, given }, flags, surroundings)
    }),
  )
  addExamples(call, [
    `drawbridge tools call weather '{"city":"Oslo"}'`,
    `drawbridge tools call weather '{"city":"Oslo"}' --json`,
  ])
}
