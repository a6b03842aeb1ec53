// Tools of a host program that show every way a call can go.
import { z } from 'zod'
import { defineTool, type Tool, type ToolCall, type ToolContext } from '../../src/codex/index.ts'

/** As the model names the server that has them. */
export const HOST = 'mcp__host_tools'

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** The tools, what they were called with, and what was recorded of the calls. */
export function toolSet(mark = 'here') {
  const seen: { readonly tool: string; readonly context: ToolContext }[] = []
  const calls: ToolCall[] = []
  const tool = (name: string, answer: (text: string, context: ToolContext) => ReturnType<Tool['handler']>) =>
    defineTool({
      name,
      description: `the tool ${name}`,
      input: z.object({ text: z.string().default('') }),
      timeoutMs: name === 'late' ? 300 : 20_000,
      handler: ({ text }, context) => {
        seen.push({ tool: name, context })
        return answer(text, context)
      },
    })
  const never = () => new Promise<string>(() => {})
  return {
    seen,
    calls,
    onCall: (call: ToolCall) => void calls.push(call),
    tools: [
      tool('echo', (text) => `${mark} ${text}`),
      tool('broken', () => {
        throw new Error('no way in: token=sk-proj-abcdefghijklmnopqrstuvwxyz0123456789')
      }),
      tool('late', never),
      tool('hang', never),
      tool('huge', () => 'x'.repeat(20 * 1024 * 1024)),
      tool('picture', () => [
        { type: 'text', text: 'a dot' },
        { type: 'image', mimeType: 'image/png', data: PNG },
      ]),
      tool('figures', () => ({ structured: { n: 7 } })),
    ],
  }
}
