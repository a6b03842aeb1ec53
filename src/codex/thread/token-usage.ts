import type { TokenUsage } from './turn-outcome.ts'

export const NO_TOKENS: TokenUsage = {
  totalTokens: 0,
  inputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteInputTokens: 0,
  outputTokens: 0,
  reasoningOutputTokens: 0,
}

export function plusTokens(a: TokenUsage, b: TokenUsage): TokenUsage {
  return merged(a, b, (one, other) => one + other)
}

/** Never below nothing. */
export function minusTokens(a: TokenUsage, b: TokenUsage): TokenUsage {
  return merged(a, b, (one, other) => Math.max(one - other, 0))
}

function merged(a: TokenUsage, b: TokenUsage, merge: (one: number, other: number) => number): TokenUsage {
  const of = (name: keyof TokenUsage) => merge(count(a[name]), count(b[name]))
  return {
    totalTokens: of('totalTokens'),
    inputTokens: of('inputTokens'),
    cachedInputTokens: of('cachedInputTokens'),
    cacheWriteInputTokens: of('cacheWriteInputTokens'),
    outputTokens: of('outputTokens'),
    reasoningOutputTokens: of('reasoningOutputTokens'),
  }
}

/** Other versions of codex may leave a field out. */
function count(tokens: unknown): number {
  return typeof tokens === 'number' ? tokens : 0
}
