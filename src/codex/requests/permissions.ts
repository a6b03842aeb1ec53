import type { protocol } from '../protocol/index.ts'
import { about, BadAnswerError, type Family, notOffered } from './family.ts'
import type { Choice, PermissionsQuestion } from './question.ts'

const CHOICES: readonly Choice[] = [
  { word: 'once', effect: 'Granted until this turn ends.', lasts: 'turn' },
  { word: 'session', effect: 'Granted for the rest of this task.', lasts: 'thread' },
  { word: 'deny', effect: 'Nothing is granted. Codex is told, and the turn goes on.', lasts: 'now' },
]

const NOTHING: protocol.v2.RequestPermissionProfile = { network: null, fileSystem: null }

/** Do more than the sandbox allows. What is granted is a part of what was asked; nothing granted is the refusal. */
export const permissions: Family<'item/permissions/requestApproval'> = {
  refuse: () => ({ permissions: {}, scope: 'turn' }),

  ask(params, facts): PermissionsQuestion {
    const asked = params.permissions ?? NOTHING
    return {
      ...about(params, facts),
      kind: 'permissions',
      method: 'item/permissions/requestApproval',
      title: title(asked),
      reason: params.reason ?? null,
      permissions: asked,
      cwd: params.cwd || facts.cwd,
      choices: CHOICES,
    }
  },

  reply(answer, params) {
    if (answer === 'once') return { permissions: everything(params.permissions), scope: 'turn' }
    if (answer === 'session') return { permissions: everything(params.permissions), scope: 'session' }
    if (answer === 'deny') return { permissions: {}, scope: 'turn' }
    if (typeof answer !== 'object' || !('permissions' in answer)) return notOffered(answer, CHOICES)
    if (answer.scope !== 'turn' && answer.scope !== 'session')
      throw new BadAnswerError('permissions are granted for the "turn" or the "session"')
    if (grantsNothing(answer.permissions))
      throw new BadAnswerError('no permission is granted: to refuse them all, answer "deny"')
    return { permissions: answer.permissions, scope: answer.scope }
  },
}

function everything({
  network,
  fileSystem,
}: protocol.v2.RequestPermissionProfile): protocol.v2.GrantedPermissionProfile {
  return { ...(network && { network }), ...(fileSystem && { fileSystem }) }
}

function grantsNothing({ network, fileSystem }: protocol.v2.GrantedPermissionProfile): boolean {
  const { read, write, entries } = fileSystem ?? {}
  const places = [
    ...(read ?? []),
    ...(write ?? []),
    ...(entries ?? []).filter(({ access }) => access !== 'deny'),
  ]
  return network?.enabled !== true && places.length === 0
}

function title({ network, fileSystem }: protocol.v2.RequestPermissionProfile): string {
  const parts = [
    network?.enabled ? 'the network' : null,
    fileSystem?.write?.length ? `writing to ${fileSystem.write.join(', ')}` : null,
    fileSystem?.read?.length ? `reading ${fileSystem.read.join(', ')}` : null,
  ].filter((part) => part !== null)
  return `be allowed ${parts.join('; ') || 'more than the sandbox allows'}`
}
