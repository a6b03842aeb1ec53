// What a tool gives the model, and how much of it goes through.
import type { protocol } from '../protocol/index.ts'

/** Text, or several pieces, or a value that the model reads as JSON. */
export type ToolOutput =
  | string
  | readonly ToolContent[]
  | { readonly structured: Readonly<Record<string, unknown>> }

export type ToolContent =
  | { readonly type: 'text'; readonly text: string }
  /** `data`: the bytes, or base64 of them. */
  | {
      readonly type: 'image' | 'audio'
      readonly mimeType: string
      readonly data: Uint8Array | string
    }

/** A result as it is sent: bounded, media as base64. */
export interface ToolResult {
  readonly content: readonly BoundContent[]
  readonly structured: Readonly<Record<string, unknown>> | null
  readonly isError: boolean
}

type BoundContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio'; readonly mimeType: string; readonly data: string }

/** Of all text of one result. The model is shown less: codex cuts it again. */
const MAX_RESULT_CHARACTERS = 256 * 1024
/** Of all images and sounds of one result, as base64. */
const MAX_MEDIA_CHARACTERS = 8 * 1024 * 1024
const MAX_PIECES = 100

export function resultOf(output: ToolOutput): ToolResult {
  if (typeof output === 'string') return textResult(output)
  if (Array.isArray(output)) return { content: bounded(output), structured: null, isError: false }
  if (isStructured(output)) return structuredResult(output.structured)
  if (output === undefined || output === null) return textResult('')
  throw new TypeError('it returned neither text, nor pieces, nor { structured }')
}

export function textResult(text: string, { isError = false } = {}): ToolResult {
  return { content: bounded([{ type: 'text', text }]), structured: null, isError }
}

/** As codex takes it in answer to a dynamic tool call. */
export function asDynamic({ content, structured, isError }: ToolResult): protocol.v2.DynamicToolCallResponse {
  const pieces = structured === null ? content : [{ type: 'text' as const, text: JSON.stringify(structured) }]
  return { contentItems: pieces.map(dynamicItem), success: !isError }
}

function dynamicItem(piece: BoundContent): protocol.v2.DynamicToolCallOutputContentItem {
  if (piece.type === 'text') return { type: 'inputText', text: piece.text }
  const url = `data:${piece.mimeType};base64,${piece.data}`
  return piece.type === 'image'
    ? { type: 'inputImage', imageUrl: url }
    : { type: 'inputAudio', audioUrl: url }
}

function isStructured(output: unknown): output is { structured: Record<string, unknown> } {
  const { structured } = Object(output) as { structured?: unknown }
  return typeof structured === 'object' && structured !== null && !Array.isArray(structured)
}

function structuredResult(structured: Readonly<Record<string, unknown>>): ToolResult {
  const text = JSON.stringify(structured)
  if (text.length > MAX_RESULT_CHARACTERS) return textResult(text)
  return { content: [{ type: 'text', text }], structured, isError: false }
}

/** What does not fit is left out, and a note says so. */
function bounded(content: readonly ToolContent[]): BoundContent[] {
  let textLeft = MAX_RESULT_CHARACTERS
  let mediaLeft = MAX_MEDIA_CHARACTERS
  const kept = content.slice(0, MAX_PIECES).map((piece): BoundContent => {
    if (piece.type === 'text') {
      const text = cut(String(piece.text), textLeft)
      textLeft = Math.max(0, textLeft - text.length)
      return { type: 'text', text }
    }
    if (piece.type !== 'image' && piece.type !== 'audio')
      throw new TypeError('a piece of a result is text, image or audio')
    const size = base64Length(piece.data)
    if (size > mediaLeft)
      return { type: 'text', text: `[${piece.type} of ${size} base64 characters left out]` }
    mediaLeft -= size
    return { type: piece.type, mimeType: piece.mimeType, data: base64(piece.data) }
  })
  const missing = content.length - kept.length
  return missing > 0 ? [...kept, { type: 'text', text: `[${missing} more pieces left out]` }] : kept
}

function cut(text: string, limit: number): string {
  if (text.length <= limit) return text
  const head = text.slice(0, limit).toWellFormed()
  return `${head}\n[cut: the first ${limit} of ${text.length} characters]`
}

function base64Length(data: Uint8Array | string): number {
  return typeof data === 'string' ? data.length : 4 * Math.ceil(data.length / 3)
}

function base64(data: Uint8Array | string): string {
  return typeof data === 'string'
    ? data
    : Buffer.from(data.buffer, data.byteOffset, data.length).toString('base64')
}
