import type { McpCaller } from '../mcp-caller.ts'

/** The key of a call in the whole service: the same id of another token is another key. */
export function requestKey(
  clientRequestId: string | undefined,
  { scope }: Pick<McpCaller, 'scope'>,
): string | undefined {
  return clientRequestId === undefined ? undefined : `mcp ${encodeURIComponent(scope)} ${clientRequestId}`
}
