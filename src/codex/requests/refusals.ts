// The safe answer to each request codex can make when nobody else answers it. Each is the refusal of its own
// family: a wrong shape reads as an error to codex, or as a grant.
import type { ServerMethod, ServerParams, ServerResult } from '../protocol/index.ts'
import { Refusal } from '../wire/index.ts'

const METHOD_NOT_FOUND = -32601

type Refusals = { readonly [M in ServerMethod]: (params: ServerParams<M>) => ServerResult<M> }

const refusals: Refusals = {
  'item/commandExecution/requestApproval': () => ({ decision: 'decline' }),
  'item/fileChange/requestApproval': () => ({ decision: 'decline' }),
  'item/permissions/requestApproval': () => ({ permissions: {}, scope: 'turn' }),
  'item/tool/requestUserInput': () => ({ answers: {} }),
  'mcpServer/elicitation/request': () => ({ action: 'decline', content: null, _meta: null }),
  'item/tool/call': ({ tool }) => ({
    contentItems: [{ type: 'inputText', text: `The tool ${tool} is not available.` }],
    success: false,
  }),
  applyPatchApproval: () => ({ decision: { denied: { rejection: 'nobody approved it' } } }),
  execCommandApproval: () => ({ decision: { denied: { rejection: 'nobody approved it' } } }),
  'account/chatgptAuthTokens/refresh': () => cannot('no ChatGPT tokens are managed by this client'),
  'attestation/generate': () => cannot('this client does not attest'),
  'currentTime/read': () => cannot('this client has no clock to share'),
}

/** The refusal for a request. Throws a `Refusal` where only a JSON-RPC error says no. */
export function refuse(method: string, params: unknown): unknown {
  if (isServerMethod(method)) return (refusals[method] as (params: unknown) => unknown)(params ?? {})
  if (/approval$/i.test(method)) return { decision: 'decline' }
  if (method.includes('elicitation')) return { action: 'decline', content: null, _meta: null }
  return cannot(`this client does not know ${method}`, METHOD_NOT_FOUND)
}

export function isServerMethod(method: string): method is ServerMethod {
  return Object.hasOwn(refusals, method)
}

function cannot(why: string, rpcCode = -32000): never {
  throw new Refusal(why, rpcCode)
}
