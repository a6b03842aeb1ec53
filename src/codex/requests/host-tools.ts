// Tools of the host program that the model can call: `dynamicTools` for `thread/start`, and who answers the calls.
import { setTimeout as delay } from 'node:timers/promises'
import type { ClientParams, protocol, ServerParams, ServerResult } from '../protocol/index.ts'
import { BadAnswerError } from './family.ts'
import { type JsonSchema, type JsonSchemaValue, misfit } from './json-schema.ts'
import type { RequestContext } from './server-requests.ts'

/** What a tool gives the model: text, or text, images and audio. */
export type ToolOutput = string | readonly protocol.v2.DynamicToolCallOutputContentItem[]

/** A schema that can check a value and say itself as JSON Schema: zod 4 schemas can, by the Standard Schema rules. */
export interface ToolSchema<Input> {
  readonly '~standard': {
    validate(value: unknown): ToolCheck<Input> | Promise<ToolCheck<Input>>
    readonly jsonSchema: { input(options: { target: 'draft-07' }): Record<string, unknown> }
  }
}

type ToolCheck<Input> =
  | { readonly value: Input }
  | { readonly issues: readonly { readonly message: string }[] }

/** What describes a tool's input: a zod schema, or a JSON Schema written in place. */
// biome-ignore lint/suspicious/noExplicitAny: any input at all
export type ToolInput = ToolSchema<any> | JsonSchema

/** The input that such a description promises. */
export type InputOf<Schema> = Schema extends ToolSchema<infer Input> ? Input : JsonSchemaValue<Schema>

export interface HostTool<Input, Schema = ToolSchema<Input>> {
  readonly name: string
  readonly description: string
  /** Arguments that do not fit are refused, and the model is told why. */
  readonly input: Schema
  /** How long a call may take before the model is told that it failed. */
  readonly timeoutMs?: number
  run(input: Input, context: ToolContext): ToolOutput | Promise<ToolOutput>
}

export interface ToolContext {
  readonly signal: AbortSignal
  readonly threadId: string
  readonly turnId: string
}

export interface HostTools {
  /** For `startThread({ dynamicTools })`; codex takes them from experimental clients only. */
  readonly specs: NonNullable<ClientParams<'thread/start'>['dynamicTools']>
  /** For `handlers: { 'item/tool/call': … }`. What a tool throws is told to the model. */
  readonly handle: (
    params: ServerParams<'item/tool/call'>,
    context: RequestContext,
  ) => Promise<ServerResult<'item/tool/call'>>
}

const TIMEOUT_MS = 90_000

/** Each tool's `run` gets what its own `input` describes. */
export function hostTools<const Schemas extends readonly ToolInput[]>(
  tools: {
    readonly [Index in keyof Schemas]: HostTool<InputOf<Schemas[Index]>, Schemas[Index]>
  },
): HostTools {
  return toolsOf(tools as unknown as readonly AnyTool[])
}

// biome-ignore lint/suspicious/noExplicitAny: each tool has an input type of its own
type AnyTool = HostTool<any, ToolInput>

function toolsOf(tools: readonly AnyTool[]): HostTools {
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  return {
    specs: tools.map(({ name, description, input }) => ({
      type: 'function',
      name,
      description,
      inputSchema: (isChecking(input)
        ? input['~standard'].jsonSchema.input({ target: 'draft-07' })
        : input) as never,
    })),
    handle: async (params, { signal }) => {
      const tool = byName.get(params.tool)
      if (!tool) return failed(`there is no tool ${params.tool}`)
      try {
        return { contentItems: contentItems(await call(tool, params, signal)), success: true }
      } catch (error) {
        return failed(error instanceof Error ? error.message : String(error))
      }
    },
  }
}

async function call(
  tool: AnyTool,
  params: ServerParams<'item/tool/call'>,
  signal: AbortSignal,
): Promise<ToolOutput> {
  const checked = await check(tool.input, params.arguments)
  if ('issues' in checked && checked.issues)
    throw new BadAnswerError(`bad arguments: ${checked.issues.map(({ message }) => message).join('; ')}`)
  const timeoutMs = tool.timeoutMs ?? TIMEOUT_MS
  const over = new AbortController()
  const context = {
    signal: AbortSignal.any([signal, over.signal]),
    threadId: params.threadId,
    turnId: params.turnId,
  }
  const late = delay(timeoutMs, undefined, { signal: over.signal }).then(() => {
    throw new BadAnswerError(`${tool.name} did not answer within ${timeoutMs} ms`)
  })
  const input = (checked as { value: unknown }).value
  // A tool that throws at once must not leave the timer behind: nobody would hear it reject.
  const ran = (async () => tool.run(input, context))()
  return Promise.race([ran, late]).finally(() => over.abort())
}

function check(schema: ToolInput, given: unknown): ToolCheck<unknown> | Promise<ToolCheck<unknown>> {
  if (isChecking(schema)) return schema['~standard'].validate(given)
  const problem = misfit(given, schema)
  return problem === null ? { value: given } : { issues: [{ message: problem }] }
}

function isChecking(schema: ToolInput): schema is ToolSchema<unknown> {
  return schema['~standard'] !== undefined
}

function contentItems(output: ToolOutput): protocol.v2.DynamicToolCallOutputContentItem[] {
  return typeof output === 'string' ? [{ type: 'inputText', text: output }] : [...output]
}

function failed(text: string): ServerResult<'item/tool/call'> {
  return { contentItems: [{ type: 'inputText', text }], success: false }
}
