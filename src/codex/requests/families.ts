// Every request codex can make, and what it means. A request that codex adds is a compile error here too.
import type { ServerMethod } from '../protocol/index.ts'
import { Refusal } from '../wire/index.ts'
import { command } from './command.ts'
import { elicitation } from './elicitation.ts'
import type { Facts, Family } from './family.ts'
import { fileChange } from './file-change.ts'
import { legacyCommand, legacyPatch } from './legacy-approvals.ts'
import { attestation, currentTime, tokenRefresh, toolCall } from './machine-requests.ts'
import { permissions } from './permissions.ts'
import { userInput } from './user-input.ts'

const METHOD_NOT_FOUND = -32601

const families: { readonly [M in ServerMethod]: Family<M> } = {
  'item/commandExecution/requestApproval': command,
  'item/fileChange/requestApproval': fileChange,
  'item/permissions/requestApproval': permissions,
  'item/tool/requestUserInput': userInput,
  'mcpServer/elicitation/request': elicitation,
  'item/tool/call': toolCall,
  'account/chatgptAuthTokens/refresh': tokenRefresh,
  'attestation/generate': attestation,
  'currentTime/read': currentTime,
  applyPatchApproval: legacyPatch,
  execCommandApproval: legacyCommand,
}

/** A family whose method is only known at run time. */
export type AnyFamily = Family<ServerMethod> & {
  refuse(params: unknown, facts: Facts): unknown
}

export function familyOf(method: string): AnyFamily | null {
  return Object.hasOwn(families, method) ? (families[method as ServerMethod] as unknown as AnyFamily) : null
}

/** The refusal for a request of any method, known or not. Throws a `Refusal` where only an error says no. */
export function refuse(method: string, params: unknown, facts: Facts): unknown {
  const family = familyOf(method)
  if (family) return family.refuse((params ?? {}) as never, facts)
  if (/approval$/i.test(method)) return { decision: 'decline' }
  if (method.includes('elicitation')) return { action: 'decline', content: null, _meta: null }
  throw new Refusal(`this client does not know ${method}`, METHOD_NOT_FOUND)
}
