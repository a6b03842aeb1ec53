// The smallest MCP server over stdio: one tool that answers at once.
import { createInterface } from 'node:readline'

const tools = [{ name: 'echo', description: 'echoes', inputSchema: { type: 'object', properties: {} } }]
const results = {
  initialize: {
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'bare', version: '1' },
  },
  'tools/list': { tools },
  'tools/call': { content: [{ type: 'text', text: 'ok' }] },
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line)
  if (id === undefined) return
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} })}\n`)
})
