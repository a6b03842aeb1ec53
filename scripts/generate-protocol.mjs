// Writes src/codex/protocol/generated/: the pinned codex's own types, plus three things its generator does not
// give: file endings in imports, the result type of each client request, and which methods are experimental.
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'

// Requests whose params name does not lead to the name of their result.
const RESULTS = {
  'account/gatewayOAuth/cancel': 'GatewayOAuthCancelResponse',
  'account/gatewayOAuth/login': 'GatewayOAuthLoginResponse',
  'account/gatewayOAuth/read': 'GatewayOAuthReadResponse',
  'account/logout': 'LogoutAccountResponse',
  'account/workspaceMessages/read': 'GetWorkspaceMessagesResponse',
  'accountSession/list': 'AccountSessionsResponse',
  'config/batchWrite': 'ConfigWriteResponse',
  'config/mcpServer/reload': 'McpServerRefreshResponse',
  'config/value/write': 'ConfigWriteResponse',
  'configRequirements/read': 'ConfigRequirementsReadResponse',
  'externalAgentConfig/import/readHistories': 'ExternalAgentConfigImportHistoriesReadResponse',
  'memory/reset': 'MemoryResetResponse',
  'remoteControl/disable': 'RemoteControlDisableResponse',
  'remoteControl/enable': 'RemoteControlEnableResponse',
  'remoteControl/status/read': 'RemoteControlStatusReadResponse',
  'rollout/compress': 'RolloutCompressResponse',
  'windowsSandbox/readiness': 'WindowsSandboxReadinessResponse',
}

/** @param {{ codex: string, out: string }} options */
export function generateProtocol({ codex, out }) {
  mkdirSync(path.dirname(out), { recursive: true })
  const work = mkdtempSync(path.join(path.dirname(out), '.generating-'))
  try {
    const stable = path.join(work, 'stable')
    const all = path.join(work, 'all')
    execFileSync(codex, ['app-server', 'generate-ts', '--out', stable], { timeout: 60_000 })
    execFileSync(codex, ['app-server', 'generate-ts', '--experimental', '--out', all], { timeout: 60_000 })
    writeFileSync(path.join(all, 'client-results.ts'), clientResults(all))
    writeFileSync(path.join(all, 'experimental-methods.ts'), experimentalMethods(stable, all))
    for (const file of readdirSync(all, { recursive: true, encoding: 'utf8' })) {
      if (file.endsWith('.ts')) addImportEndings(path.join(all, file))
    }
    rmSync(out, { recursive: true, force: true })
    renameSync(all, out)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

function requestsIn(folder) {
  const source = readFileSync(path.join(folder, 'ClientRequest.ts'), 'utf8')
  const requests = [...source.matchAll(/"method": "([^"]+)", id: RequestId, params\??: (\w+)/g)]
  if (requests.length < 50) throw new Error('ClientRequest.ts no longer has the shape this script reads')
  return requests.map(([, method, params]) => ({ method, params }))
}

function clientResults(folder) {
  const imports = new Set()
  const rows = requestsIn(folder).map(({ method, params }) => {
    const name = RESULTS[method] ?? params.replace(/Params$/, 'Response')
    const from = [`v2/${name}`, name].find((file) => existsSync(path.join(folder, `${file}.ts`)))
    if (!from)
      throw new Error(
        `no result type known for ${method}: add it to RESULTS in scripts/generate-protocol.mjs`,
      )
    imports.add(`import type { ${name} } from "./${from}";`)
    return `  ${JSON.stringify(method)}: ${name};`
  })
  return `${[...imports].sort().join('\n')}\n\nexport type ClientResults = {\n${rows.join('\n')}\n};\n`
}

function experimentalMethods(stable, all) {
  const known = new Set(requestsIn(stable).map((request) => request.method))
  const extra = requestsIn(all)
    .map((request) => request.method)
    .filter((method) => !known.has(method))
  return `export const experimentalMethods: ReadonlySet<string> = new Set(${JSON.stringify(extra, null, 2)});\n`
}

// codex writes `from "./X"` and `from ".."`-style folder imports; Node's resolution wants the file itself.
function addImportEndings(file) {
  const source = readFileSync(file, 'utf8')
  const fixed = source.replace(/(from ")(\.[^"]*)(")/g, (_, before, target, after) => {
    const isFolder = existsSync(path.join(path.dirname(file), target, 'index.ts'))
    return `${before}${target}${isFolder ? '/index' : ''}.ts${after}`
  })
  if (fixed !== source) writeFileSync(file, fixed)
}
