// A tool of the host program that the model can call: what it is called, what it takes, and who answers.
import { DrawbridgeError } from '../errors/index.ts'
import { type JsonSchema, type JsonSchemaValue, misfit } from './json-schema.ts'
import type { ToolOutput } from './tool-output.ts'

/** A schema that checks a value by the Standard Schema rules. zod 4 schemas say themselves as JSON Schema too. */
export interface ToolSchema<Input> {
  readonly '~standard': {
    validate(value: unknown): ToolCheck<Input> | Promise<ToolCheck<Input>>
    readonly jsonSchema?: { input(options: { target: 'draft-07' }): Record<string, unknown> }
  }
}

type ToolCheck<Input> =
  | { readonly value: Input; readonly issues?: undefined }
  | { readonly issues: readonly ToolIssue[] }

export interface ToolIssue {
  readonly message: string
  readonly path?: readonly unknown[] | undefined
}

/** What describes a tool's input: a zod schema, or a JSON Schema written in place. */
// biome-ignore lint/suspicious/noExplicitAny: any input at all
export type ToolInput = ToolSchema<any> | JsonSchema

/** The input that such a description promises. */
export type InputOf<Schema> = Schema extends ToolSchema<infer Input> ? Input : JsonSchemaValue<Schema>

export interface ToolDefinition<Schema> {
  /** Letters, digits, `_` and `-`. */
  readonly name: string
  /** What the model reads: what the tool does and when to use it. */
  readonly description: string
  /** Arguments that do not fit are refused, and the model is told why. */
  readonly input: Schema
  /** The JSON Schema to show, for a schema that cannot say itself as one. */
  readonly inputSchema?: JsonSchema
  /** How long a call may take before the model is told that it failed. Default 90 s. */
  readonly timeoutMs?: number
  /** What it throws is told to the model: the message, without secrets. */
  handler(input: InputOf<Schema>, context: ToolContext): ToolOutput | Promise<ToolOutput>
}

export interface ToolContext {
  /** Aborts when the answer is no longer wanted: interrupt, end of the turn, deadline, connection gone. */
  readonly signal: AbortSignal
  /** The thread that was given the tool. */
  readonly threadId: string
  readonly turnId: string | null
  /** The sub-agent's own thread, when a sub-agent calls. */
  readonly subAgentId: string | null
  /** codex's name of the call. A call that is repeated after a lost connection has the same. */
  readonly callId: string
}

/** A checked tool. Made by `defineTool`. */
export interface Tool {
  readonly name: string
  readonly description: string
  readonly inputSchema: Readonly<Record<string, unknown>>
  readonly timeoutMs: number
  check(value: unknown): ToolCheck<unknown> | Promise<ToolCheck<unknown>>
  handler(input: unknown, context: ToolContext): ToolOutput | Promise<ToolOutput>
}

/** A definition that codex, or the model, could not use. */
export class BadToolError extends DrawbridgeError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, { code: 'bad-tool', ...options })
  }
}

const TIMEOUT_MS = 90_000
const NAME = /^[a-zA-Z0-9_-]{1,64}$/

/** Throws a `BadToolError` for what codex would refuse, or take and never show. */
export function defineTool<const Schema extends ToolInput>(definition: ToolDefinition<Schema>): Tool {
  const { name, description, input, timeoutMs = TIMEOUT_MS } = definition
  if (typeof name !== 'string' || !NAME.test(name) || name.startsWith('mcp__'))
    throw new BadToolError(
      `a tool cannot be called ${JSON.stringify(name)}: use up to 64 letters, digits, _ and -, not beginning with mcp__`,
    )
  if (typeof description !== 'string' || description.trim() === '')
    throw new BadToolError(`the tool ${name} has no description: the model would not know what it is for`)
  if (typeof definition.handler !== 'function') throw new BadToolError(`the tool ${name} has no handler`)
  if (!Number.isInteger(timeoutMs) || timeoutMs < 1 || timeoutMs > MAX_TIMEOUT_MS)
    throw new BadToolError(`timeoutMs of the tool ${name} must be from 1 to ${MAX_TIMEOUT_MS}`)
  return {
    name,
    description,
    timeoutMs,
    inputSchema: inputSchemaOf(definition),
    check: (value) => checkInput(input, value),
    handler: (given, context) => definition.handler(given as InputOf<Schema>, context),
  }
}

const MAX_TIMEOUT_MS = 24 * 60 * 60 * 1000

/** Whether a value was made by `defineTool`, also by another copy of this package. */
export function isTool(value: unknown): value is Tool {
  const { name, description, inputSchema, timeoutMs, check, handler } = Object(value) as Partial<Tool>
  return (
    typeof name === 'string' &&
    NAME.test(name) &&
    typeof description === 'string' &&
    typeof inputSchema === 'object' &&
    typeof timeoutMs === 'number' &&
    typeof check === 'function' &&
    typeof handler === 'function'
  )
}

/** Throws when two have one name. */
export function toolsByName(tools: readonly Tool[]): ReadonlyMap<string, Tool> {
  const byName = new Map<string, Tool>()
  for (const tool of tools) {
    if (!isTool(tool)) throw new BadToolError('a tool must be made with defineTool()')
    if (byName.has(tool.name)) throw new BadToolError(`two tools are called ${tool.name}`)
    byName.set(tool.name, tool)
  }
  return byName
}

function inputSchemaOf<Schema extends ToolInput>({
  name,
  input,
  inputSchema,
}: ToolDefinition<Schema>): Record<string, unknown> {
  const schema = inputSchema ?? (isChecking(input) ? toJsonSchema(name, input) : input)
  if (typeof schema !== 'object' || schema === null || (schema as JsonSchema).type !== 'object')
    throw new BadToolError(`the input of the tool ${name} must be an object: the model sends named arguments`)
  return schema as Record<string, unknown>
}

function toJsonSchema(name: string, input: ToolSchema<unknown>): Record<string, unknown> {
  const say = input['~standard'].jsonSchema
  if (!say)
    throw new BadToolError(
      `the input schema of the tool ${name} cannot say itself as JSON Schema: give inputSchema too`,
    )
  try {
    const { '~standard': _, ...schema } = say.input({ target: 'draft-07' })
    return schema
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new BadToolError(`the input schema of the tool ${name} cannot be said as JSON Schema: ${why}`, {
      cause,
    })
  }
}

function checkInput(schema: ToolInput, given: unknown): ToolCheck<unknown> | Promise<ToolCheck<unknown>> {
  if (isChecking(schema)) return schema['~standard'].validate(given)
  const problem = misfit(given, schema)
  return problem === null ? { value: given } : { issues: [{ message: problem }] }
}

function isChecking(schema: ToolInput): schema is ToolSchema<unknown> {
  return Object(schema)['~standard'] !== undefined
}
