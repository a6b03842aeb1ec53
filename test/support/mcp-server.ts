import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { onTestFinished } from 'vitest'

/** The namespace of its tools, as the model calls them. */
export const MCP = 'mcp__asker'

/** The server of `test/fixtures` for a config.toml, and how often its dangerous tool has run. `prompt`: all are asked about. */
export function mcpServer(approvalMode?: 'prompt'): { readonly toml: string; runs(): number } {
  const folder = mkdtempSync(path.join(tmpdir(), 'mcp-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const log = path.join(folder, 'log')
  const program = path.resolve('test/fixtures/mcp-server.mjs')
  const toml = [
    '[mcp_servers.asker]',
    `command = ${JSON.stringify(process.execPath)}`,
    `args = [${JSON.stringify(program)}]`,
    `env = { MCP_LOG = ${JSON.stringify(log)} }`,
    ...(approvalMode ? [`default_tools_approval_mode = "${approvalMode}"`] : []),
  ]
  const runs = () => (existsSync(log) ? readFileSync(log, 'utf8').split('\n').length - 1 : 0)
  return { toml: `${toml.join('\n')}\n`, runs }
}
