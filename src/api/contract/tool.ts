import { z } from 'zod'

export const ToolSource = z
  .object({
    name: z.string().meta({ description: 'What a task asks for it by.' }),
    kind: z.enum(['module', 'server', 'built-in']),
    labels: z.array(z.string()).meta({ description: 'Tasks with one of these get it without asking.' }),
    transport: z.enum(['stdio', 'http']).nullable().meta({ description: 'Of an MCP server.' }),
    tools: z
      .array(z.object({ name: z.string(), description: z.string() }))
      .meta({ description: 'Of an MCP server codex knows them, once a task has it.' }),
    problem: z.string().nullable().meta({ description: 'Why it cannot be used; null: it can.' }),
  })
  .meta({ id: 'ToolSource', description: 'Tools that tasks can get under one name.' })
export type ToolSource = z.infer<typeof ToolSource>

export const ToolSourceList = z.object({ items: z.array(ToolSource) }).meta({ id: 'ToolSourceList' })

export const CallTool = z
  .strictObject({ arguments: z.record(z.string(), z.unknown()).default({}) })
  .meta({ id: 'CallTool' })
export type CallTool = z.input<typeof CallTool>

export const CalledTool = z
  .object({
    outcome: z.enum(['ok', 'bad-arguments', 'failed', 'timed-out', 'cancelled']),
    durationMs: z.number(),
    content: z
      .array(
        z.union([
          z.object({ type: z.literal('text'), text: z.string() }),
          z.object({ type: z.enum(['image', 'audio']), mimeType: z.string(), data: z.string() }),
        ]),
      )
      .meta({ description: 'What the model would be told.' }),
    structured: z.record(z.string(), z.unknown()).nullable(),
  })
  .meta({ id: 'CalledTool' })
export type CalledTool = z.infer<typeof CalledTool>
