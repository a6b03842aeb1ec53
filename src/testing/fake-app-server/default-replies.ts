// What the fake answers, and does, when nothing is scripted for a method.
import type { ClientMethod, ClientResult, protocol } from '../../codex/index.ts'
import { type Action, error, reply } from './script.ts'
import type { FakeThreads } from './threads.ts'
import { completedTurn, fakeTurn, turnCompleted } from './turn-actions.ts'

type Params = Readonly<Record<string, unknown>>
interface Served {
  readonly params: Params
  readonly threads: FakeThreads
  readonly version: string
  readonly threadId: string
  readonly turnId: string
}

const RESULTS: { readonly [M in ClientMethod]?: (served: Served) => ClientResult<M> } = {
  initialize: ({ version }) => ({
    userAgent: `drawbridge_fake/${version} (fake; x86_64)`,
    codexHome: process.env.CODEX_HOME ?? process.cwd(),
    platformFamily: 'unix',
    platformOs: process.platform,
  }),
  'thread/start': (served) => ({ ...threadSettings(served), thread: threadOf(served, []) }),
  'thread/resume': (served) => {
    const thread = threadOf(served, served.params.excludeTurns ? [] : undefined)
    const pages = { initialTurnsPage: null, turnsBackwardsCursor: null, itemsBackwardsCursor: null }
    return { ...threadSettings(served), thread, collaborationMode: null, ...pages }
  },
  'thread/read': (served) => {
    return { thread: threadOf(served, served.params.includeTurns ? undefined : []), readState: null }
  },
  'thread/turns/list': (served) => {
    return { data: threadOf(served).turns.toReversed(), nextCursor: null, backwardsCursor: null }
  },
  'thread/unsubscribe': () => ({ status: 'unsubscribed' }),
  'thread/backgroundTerminals/list': () => ({ data: [], nextCursor: null }),
  'thread/backgroundTerminals/clean': () => ({}),
  'turn/start': ({ turnId }) => ({ turn: { ...fakeTurn(turnId), startedAt: null } }),
  'turn/steer': ({ turnId }) => ({ turnId }),
  'turn/interrupt': () => ({}),
  'model/list': () => ({ data: [], nextCursor: null }),
}

/** The default result; undefined for a method the fake does not know. */
export function defaultResult(method: string, served: Served): unknown {
  return RESULTS[method as ClientMethod]?.(served)
}

export function defaultActions(method: string): readonly Action[] {
  if (method === 'turn/start') return completedTurn('ok')
  if (method === 'turn/interrupt') return [reply(), ...turnCompleted({ status: 'interrupted' })]
  if (method in RESULTS) return [reply()]
  return [
    error(-32600, `Invalid request: unknown variant \`${method}\`, the fake app-server does not know it`),
  ]
}

function threadOf({ threads, threadId }: Served, turns?: protocol.v2.Turn[]): protocol.v2.Thread {
  const thread = threads.thread(threadId)
  return turns ? { ...thread, turns } : thread
}

// The client's own wishes come back, as from codex.
function threadSettings({ params, threads, threadId }: Served) {
  const { cwd } = threads.thread(threadId)
  return {
    model: typeof params.model === 'string' ? params.model : 'fake',
    modelProvider: 'fake',
    serviceTier: null,
    disabledPluginIds: [],
    cwd,
    runtimeWorkspaceRoots: [cwd],
    instructionSources: [],
    approvalPolicy: (params.approvalPolicy ?? 'on-request') as protocol.v2.AskForApproval,
    approvalsReviewer: 'user' as const,
    sandbox: sandboxPolicy(params.sandbox),
    activePermissionProfile: activeProfile(params),
    reasoningEffort: null,
    multiAgentMode: 'explicitRequestOnly' as const,
  }
}

/** As codex: the profile the thread's configuration names, unless a `sandbox` parameter drops it. */
function activeProfile({ config, sandbox }: Params): protocol.v2.ActivePermissionProfile | null {
  const { default_permissions: id } = Object(config) as { default_permissions?: unknown }
  return typeof id === 'string' && sandbox === undefined ? { id, extends: ':read-only' } : null
}

function sandboxPolicy(mode: unknown): protocol.v2.SandboxPolicy {
  if (mode === 'danger-full-access') return { type: 'dangerFullAccess' }
  if (mode !== 'workspace-write') return { type: 'readOnly', networkAccess: false }
  const rest = { networkAccess: false, excludeTmpdirEnvVar: false, excludeSlashTmp: false }
  return { type: 'workspaceWrite', writableRoots: [], ...rest }
}
