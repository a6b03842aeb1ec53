// What codex itself says a reply looks like: the JSON Schemas that this very binary generates.
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import Ajv from 'ajv'
import type { ServerMethod } from '../../src/codex/index.ts'

const RESPONSES: { readonly [M in ServerMethod]: string } = {
  'item/commandExecution/requestApproval': 'CommandExecutionRequestApprovalResponse',
  'item/fileChange/requestApproval': 'FileChangeRequestApprovalResponse',
  'item/permissions/requestApproval': 'PermissionsRequestApprovalResponse',
  'item/tool/requestUserInput': 'ToolRequestUserInputResponse',
  'mcpServer/elicitation/request': 'McpServerElicitationRequestResponse',
  'item/tool/call': 'DynamicToolCallResponse',
  'account/chatgptAuthTokens/refresh': 'ChatgptAuthTokensRefreshResponse',
  'attestation/generate': 'AttestationGenerateResponse',
  'currentTime/read': 'CurrentTimeReadResponse',
  applyPatchApproval: 'ApplyPatchApprovalResponse',
  execCommandApproval: 'ExecCommandApprovalResponse',
}

/** What is wrong with a reply; null when nothing is. */
export type CheckReply = (method: string, result: unknown) => string | null

const made = new Map<string, Promise<CheckReply>>()

/** Once per binary: generating takes a moment. */
export function replySchemas(codexPath: string): Promise<CheckReply> {
  const known = made.get(codexPath) ?? generate(codexPath)
  made.set(codexPath, known)
  return known
}

async function generate(codexPath: string): Promise<CheckReply> {
  const folder = await mkdtemp(path.join(tmpdir(), 'codex-schemas-'))
  try {
    await promisify(execFile)(codexPath, [
      'app-server',
      'generate-json-schema',
      '--experimental',
      '--out',
      folder,
    ])
    const schemas = new Map<string, object>()
    for (const [method, name] of Object.entries(RESPONSES)) {
      const text = await readFile(path.join(folder, `${name}.json`), 'utf8').catch(() => null)
      if (text !== null) schemas.set(method, JSON.parse(text))
    }
    return checker(schemas)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function checker(schemas: ReadonlyMap<string, object>): CheckReply {
  const ajv = new Ajv({ unknownFormats: 'ignore', logger: false })
  return (method, result) => {
    const schema = schemas.get(method)
    if (!schema) return `this codex has no schema for a reply to ${method}`
    return ajv.validate(schema, result) ? null : `${method}: ${ajv.errorsText()} in ${JSON.stringify(result)}`
  }
}
