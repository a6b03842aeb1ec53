// Which of codex's methods which version has, measured by asking a release of each minor version from 0.125 to 0.166
// for its own schema.
import { experimentalMethods } from './generated/experimental-methods.ts'
import { isAtLeast } from './version.ts'

/** The oldest and the newest version the tests run against. */
export const TESTED_VERSIONS = { oldest: '0.125.0', newest: '0.166.0' } as const

interface Span {
  readonly since?: string
  readonly goneSince?: string
  /** Until then it was experimental: from the beginning, or from `experimentalSince` on. */
  readonly stableSince?: string
  readonly experimentalSince?: string
}

/** Whether a version has a method; `experimental`: only for clients that asked for such. `unknown`: ask codex. */
export type Support = 'stable' | 'experimental' | 'missing' | 'unknown'

export function supportOf(method: string, version: string | null): Support {
  if (version === null) return 'unknown'
  // What a newer codex has, or has made stable, only it can say.
  if (!isAtLeast(TESTED_VERSIONS.newest, version)) return 'unknown'
  const span = Object.hasOwn(SPANS, method) ? SPANS[method]! : {}
  if (span.since && !isAtLeast(version, span.since)) return 'missing'
  if (span.goneSince && isAtLeast(version, span.goneSince)) return 'missing'
  return experimentalMethods.has(method) || wasExperimental(span, version) ? 'experimental' : 'stable'
}

function wasExperimental({ stableSince, experimentalSince = '0.0.0' }: Span, version: string): boolean {
  return (
    stableSince !== undefined && isAtLeast(version, experimentalSince) && !isAtLeast(version, stableSince)
  )
}

/** Only what has changed since 0.125. */
const SPANS: Readonly<Record<string, Span>> = {
  'account/bedrock/checkGovCloudRequirements': { since: '0.161.0' },
  'account/bedrock/discover': { since: '0.149.0' },
  'account/bedrock/setup': { since: '0.149.0' },
  'account/gatewayOAuth/cancel': { since: '0.157.0' },
  'account/gatewayOAuth/login': { since: '0.157.0' },
  'account/gatewayOAuth/read': { since: '0.157.0' },
  'account/gcp/setup': { since: '0.166.0' },
  'account/rateLimitResetCredit/consume': { since: '0.141.0' },
  'account/usage/read': { since: '0.138.0' },
  'account/workspaceMessages/read': { since: '0.142.0' },
  'accountSession/list': { since: '0.166.0' },
  'accountSession/switch': { since: '0.166.0' },
  'app/installed': { since: '0.145.0' },
  'app/read': { since: '0.145.0' },
  'device/key/create': { goneSince: '0.130.0' },
  'device/key/public': { goneSince: '0.130.0' },
  'device/key/sign': { goneSince: '0.130.0' },
  'environment/add': { since: '0.131.0' },
  'environment/info': { since: '0.143.0' },
  'environment/status': { since: '0.145.0' },
  'externalAgentConfig/import/readHistories': { since: '0.142.0' },
  'externalAgentConfig/import/recordHistory': { since: '0.146.0' },
  'feedback/save': { since: '0.164.0' },
  'hooks/list': { since: '0.128.0' },
  'mcpServer/event/stream/start': { since: '0.150.0' },
  'mcpServer/event/stream/stop': { since: '0.150.0' },
  'memory/status': { since: '0.155.0' },
  'modelProvider/capabilities/read': { since: '0.128.0' },
  'permissionProfile/list': { since: '0.133.0' },
  'plugin/installed': { since: '0.132.0' },
  'plugin/reconcile': { since: '0.153.0' },
  'plugin/search': { since: '0.147.0' },
  'plugin/share/checkout': { since: '0.131.0' },
  'plugin/share/delete': { since: '0.129.0' },
  'plugin/share/list': { since: '0.129.0' },
  'plugin/share/save': { since: '0.129.0' },
  'plugin/share/updateTargets': { since: '0.129.0' },
  'plugin/skill/read': { since: '0.129.0' },
  'process/kill': { since: '0.129.0' },
  'process/resizePty': { since: '0.129.0' },
  'process/spawn': { since: '0.129.0' },
  'process/writeStdin': { since: '0.129.0' },
  'project/create': { since: '0.149.0' },
  'project/delete': { since: '0.149.0' },
  'project/import': { since: '0.149.0' },
  'project/list': { since: '0.149.0' },
  'project/move': { since: '0.149.0' },
  'project/read': { since: '0.149.0' },
  'project/update': { since: '0.149.0' },
  'remoteControl/client/list': { since: '0.137.0' },
  'remoteControl/client/revoke': { since: '0.137.0' },
  'remoteControl/disable': { since: '0.131.0' },
  'remoteControl/enable': { since: '0.131.0' },
  'remoteControl/pairing/start': { since: '0.137.0' },
  'remoteControl/pairing/status': { since: '0.138.0' },
  'remoteControl/status/read': { since: '0.131.0' },
  'rollout/compress': { since: '0.156.0' },
  'server/diagnostics': { since: '0.148.0' },
  'skills/extraRoots/set': { since: '0.136.0' },
  'thread/attachment/add': { since: '0.155.0' },
  'thread/attachment/list': { since: '0.155.0' },
  'thread/attachment/remove': { since: '0.155.0' },
  'thread/attachmentOwner/list': { since: '0.162.0' },
  'thread/backgroundTerminals/list': { since: '0.140.0' },
  'thread/backgroundTerminals/terminate': { since: '0.140.0' },
  'thread/delete': { since: '0.140.0' },
  'thread/goal/clear': { since: '0.128.0', stableSince: '0.133.0' },
  'thread/goal/get': { since: '0.128.0', stableSince: '0.133.0' },
  'thread/goal/set': { since: '0.128.0', stableSince: '0.133.0' },
  'thread/items/list': { since: '0.143.0', stableSince: '0.151.0' },
  'thread/items/read': { since: '0.163.0' },
  'thread/memory/read': { since: '0.165.0' },
  'thread/prediction/request': { since: '0.161.0' },
  'thread/queue/add': { since: '0.148.0' },
  'thread/queue/delete': { since: '0.148.0' },
  'thread/queue/list': { since: '0.148.0' },
  'thread/queue/reorder': { since: '0.148.0' },
  'thread/queue/start': { since: '0.148.0' },
  'thread/queue/update': { since: '0.148.0' },
  'thread/readState/update': { since: '0.163.0' },
  'thread/realtime/appendSpeech': { since: '0.141.0' },
  'thread/revert': { since: '0.148.0', stableSince: '0.151.0' },
  'thread/rollback': { goneSince: '0.156.0' },
  'thread/sample': { since: '0.164.0' },
  'thread/sample/cancel': { since: '0.164.0' },
  'thread/search': { since: '0.134.0' },
  'thread/searchOccurrences': { since: '0.145.0' },
  'thread/section/move': { since: '0.147.0' },
  'thread/settings/update': { since: '0.133.0' },
  'thread/timeline/list': { since: '0.150.0' },
  'thread/turns/items/list': { since: '0.130.0', goneSince: '0.143.0' },
  'thread/turns/list': { stableSince: '0.151.0', experimentalSince: '0.129.0' },
  'threadSection/create': { since: '0.147.0' },
  'threadSection/delete': { since: '0.147.0' },
  'threadSection/list': { since: '0.147.0' },
  'threadSection/update': { since: '0.147.0' },
  'turn/settings/update': { since: '0.151.0' },
  'userVerification/cancel': { since: '0.155.0' },
  'userVerification/delete': { since: '0.154.0' },
  'userVerification/enroll': { since: '0.154.0' },
  'userVerification/status': { since: '0.154.0' },
  'userVerification/verify': { since: '0.154.0' },
  'windowsSandbox/readiness': { since: '0.129.0' },
}
