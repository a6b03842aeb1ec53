// Which of codex's methods which version has. Measured on 0.125.0, 0.130.0, 0.142.5, 0.150.1 and 0.166.0 by asking each
// binary for its own schema; between two of them nobody knows, so there codex itself is asked.
import { experimentalMethods } from './generated/experimental-methods.ts'
import { isAtLeast } from './version.ts'

/** The oldest and the newest version the tests run against. */
export const TESTED_VERSIONS = { oldest: '0.125.0', newest: '0.166.0' } as const

interface Span {
  /** The newest tested version that does not have it yet. */
  readonly missingUpTo?: string
  /** The oldest tested version that has it no more. */
  readonly missingFrom?: string
  /** It was experimental between these, and is not, or was not, outside. */
  readonly experimentalFrom?: string
  readonly experimentalUpTo?: string
}

/** Whether this version has the method: `experimental` when only for clients that asked for such, `unknown` if untold. */
export type Support = 'stable' | 'experimental' | 'missing' | 'unknown'

export function supportOf(method: string, version: string | null): Support {
  if (version === null) return 'unknown'
  const span = SPANS[method]
  if (!span) return experimentalMethods.has(method) ? 'experimental' : 'stable'
  if (span.missingUpTo && isAtLeast(span.missingUpTo, version)) return 'missing'
  if (span.missingFrom && isAtLeast(version, span.missingFrom)) return 'missing'
  if (experimentalMethods.has(method) || wasExperimental(span, version)) return 'experimental'
  return 'stable'
}

function wasExperimental({ experimentalFrom = '0.0.0', experimentalUpTo }: Span, version: string): boolean {
  return (
    experimentalUpTo !== undefined &&
    isAtLeast(version, experimentalFrom) &&
    isAtLeast(experimentalUpTo, version)
  )
}

/** Only what changed between the tested versions. */
const SPANS: Readonly<Record<string, Span>> = {
  'account/bedrock/checkGovCloudRequirements': { missingUpTo: '0.150.1' },
  'account/bedrock/discover': { missingUpTo: '0.142.5' },
  'account/bedrock/setup': { missingUpTo: '0.142.5' },
  'account/gatewayOAuth/cancel': { missingUpTo: '0.150.1' },
  'account/gatewayOAuth/login': { missingUpTo: '0.150.1' },
  'account/gatewayOAuth/read': { missingUpTo: '0.150.1' },
  'account/gcp/setup': { missingUpTo: '0.150.1' },
  'account/rateLimitResetCredit/consume': { missingUpTo: '0.130.0' },
  'account/usage/read': { missingUpTo: '0.130.0' },
  'account/workspaceMessages/read': { missingUpTo: '0.130.0' },
  'accountSession/list': { missingUpTo: '0.150.1' },
  'accountSession/switch': { missingUpTo: '0.150.1' },
  'app/installed': { missingUpTo: '0.142.5' },
  'app/read': { missingUpTo: '0.142.5' },
  'device/key/create': { missingFrom: '0.130.0' },
  'device/key/public': { missingFrom: '0.130.0' },
  'device/key/sign': { missingFrom: '0.130.0' },
  'environment/add': { missingUpTo: '0.130.0' },
  'environment/info': { missingUpTo: '0.142.5' },
  'environment/status': { missingUpTo: '0.142.5' },
  'externalAgentConfig/import/readHistories': { missingUpTo: '0.130.0' },
  'externalAgentConfig/import/recordHistory': { missingUpTo: '0.142.5' },
  'feedback/save': { missingUpTo: '0.150.1' },
  'hooks/list': { missingUpTo: '0.125.0' },
  'mcpServer/event/stream/start': { missingUpTo: '0.142.5' },
  'mcpServer/event/stream/stop': { missingUpTo: '0.142.5' },
  'memory/status': { missingUpTo: '0.150.1' },
  'modelProvider/capabilities/read': { missingUpTo: '0.125.0' },
  'permissionProfile/list': { missingUpTo: '0.130.0' },
  'plugin/installed': { missingUpTo: '0.130.0' },
  'plugin/reconcile': { missingUpTo: '0.150.1' },
  'plugin/search': { missingUpTo: '0.142.5' },
  'plugin/share/checkout': { missingUpTo: '0.130.0' },
  'plugin/share/delete': { missingUpTo: '0.125.0' },
  'plugin/share/list': { missingUpTo: '0.125.0' },
  'plugin/share/save': { missingUpTo: '0.125.0' },
  'plugin/share/updateTargets': { missingUpTo: '0.125.0' },
  'plugin/skill/read': { missingUpTo: '0.125.0' },
  'process/kill': { missingUpTo: '0.125.0' },
  'process/resizePty': { missingUpTo: '0.125.0' },
  'process/spawn': { missingUpTo: '0.125.0' },
  'process/writeStdin': { missingUpTo: '0.125.0' },
  'project/create': { missingUpTo: '0.142.5' },
  'project/delete': { missingUpTo: '0.142.5' },
  'project/import': { missingUpTo: '0.142.5' },
  'project/list': { missingUpTo: '0.142.5' },
  'project/move': { missingUpTo: '0.142.5' },
  'project/read': { missingUpTo: '0.142.5' },
  'project/update': { missingUpTo: '0.142.5' },
  'remoteControl/client/list': { missingUpTo: '0.130.0' },
  'remoteControl/client/revoke': { missingUpTo: '0.130.0' },
  'remoteControl/disable': { missingUpTo: '0.130.0' },
  'remoteControl/enable': { missingUpTo: '0.130.0' },
  'remoteControl/pairing/start': { missingUpTo: '0.130.0' },
  'remoteControl/pairing/status': { missingUpTo: '0.130.0' },
  'remoteControl/status/read': { missingUpTo: '0.130.0' },
  'rollout/compress': { missingUpTo: '0.150.1' },
  'server/diagnostics': { missingUpTo: '0.142.5' },
  'skills/extraRoots/set': { missingUpTo: '0.130.0' },
  'thread/attachment/add': { missingUpTo: '0.150.1' },
  'thread/attachment/list': { missingUpTo: '0.150.1' },
  'thread/attachment/remove': { missingUpTo: '0.150.1' },
  'thread/attachmentOwner/list': { missingUpTo: '0.150.1' },
  'thread/backgroundTerminals/list': { missingUpTo: '0.130.0' },
  'thread/backgroundTerminals/terminate': { missingUpTo: '0.130.0' },
  'thread/delete': { missingUpTo: '0.130.0' },
  'thread/goal/clear': { missingUpTo: '0.125.0', experimentalUpTo: '0.130.0' },
  'thread/goal/get': { missingUpTo: '0.125.0', experimentalUpTo: '0.130.0' },
  'thread/goal/set': { missingUpTo: '0.125.0', experimentalUpTo: '0.130.0' },
  'thread/items/list': { missingUpTo: '0.142.5', experimentalUpTo: '0.150.1' },
  'thread/items/read': { missingUpTo: '0.150.1' },
  'thread/memory/read': { missingUpTo: '0.150.1' },
  'thread/prediction/request': { missingUpTo: '0.150.1' },
  'thread/queue/add': { missingUpTo: '0.142.5' },
  'thread/queue/delete': { missingUpTo: '0.142.5' },
  'thread/queue/list': { missingUpTo: '0.142.5' },
  'thread/queue/reorder': { missingUpTo: '0.142.5' },
  'thread/queue/start': { missingUpTo: '0.142.5' },
  'thread/queue/update': { missingUpTo: '0.142.5' },
  'thread/readState/update': { missingUpTo: '0.150.1' },
  'thread/realtime/appendSpeech': { missingUpTo: '0.130.0' },
  'thread/revert': { missingUpTo: '0.142.5', experimentalUpTo: '0.150.1' },
  'thread/rollback': { missingFrom: '0.166.0' },
  'thread/sample': { missingUpTo: '0.150.1' },
  'thread/sample/cancel': { missingUpTo: '0.150.1' },
  'thread/search': { missingUpTo: '0.130.0' },
  'thread/searchOccurrences': { missingUpTo: '0.142.5' },
  'thread/section/move': { missingUpTo: '0.142.5' },
  'thread/settings/update': { missingUpTo: '0.130.0' },
  'thread/timeline/list': { missingUpTo: '0.142.5' },
  'thread/turns/items/list': { missingUpTo: '0.125.0', missingFrom: '0.150.1' },
  'thread/turns/list': { experimentalUpTo: '0.150.1', experimentalFrom: '0.130.0' },
  'threadSection/create': { missingUpTo: '0.142.5' },
  'threadSection/delete': { missingUpTo: '0.142.5' },
  'threadSection/list': { missingUpTo: '0.142.5' },
  'threadSection/update': { missingUpTo: '0.142.5' },
  'turn/settings/update': { missingUpTo: '0.150.1' },
  'userVerification/cancel': { missingUpTo: '0.150.1' },
  'userVerification/delete': { missingUpTo: '0.150.1' },
  'userVerification/enroll': { missingUpTo: '0.150.1' },
  'userVerification/status': { missingUpTo: '0.150.1' },
  'userVerification/verify': { missingUpTo: '0.150.1' },
  'windowsSandbox/readiness': { missingUpTo: '0.125.0' },
}
