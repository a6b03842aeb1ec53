// Questions answered in the browser, and what codex does then.
import { existsSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { functionCall, lastUserText, type ModelRequest, message, shell, toolOutputs } from '../../src/testing/index.ts'
import { useConsole } from './support/open-console.ts'

const form = {
  requestedSchema: {
    type: 'object',
    properties: { name: { type: 'string', title: 'Name' }, count: { type: 'integer', title: 'Count' } },
    required: ['name', 'count'],
  },
}
const MCP = [
  '[mcp_servers.asker]',
  `command = ${JSON.stringify(process.execPath)}`,
  `args = [${JSON.stringify(path.resolve('test/fixtures/mcp-server.mjs'))}]`,
  'env = { MCP_LOG = "/dev/null" }',
].join('\n')

/** `touch x`: asks to make a file. `form`: a server asks for values. Then it repeats what the tool said. */
function script(request: ModelRequest) {
  const [output] = toolOutputs(request)
  if (output) return message(`told: ${output.text}`)
  const said = lastUserText(request)
  if (said.startsWith('form')) return functionCall('form', form, { namespace: 'mcp__asker' })
  return shell(said, { escalate: 'to show that it can' })
}

const { service: _, ...console } = useConsole(script, { home: { toml: MCP } })
