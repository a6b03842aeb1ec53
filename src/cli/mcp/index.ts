// `drawbridge mcp`: tools for other agents.
export { addMcpCommand } from './command.ts'
