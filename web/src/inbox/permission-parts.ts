// What codex asks to be allowed, as parts that can be granted one by one.
import type { Answer } from '../api/contract.ts'
import { asParams } from '../transcript/params.ts'

export interface PermissionPart {
  readonly id: string
  readonly kind: 'network' | 'read' | 'write'
  /** The path; empty for the network. */
  readonly path: string
}

export function permissionParts(permissions: unknown): PermissionPart[] {
  const { network, fileSystem } = asParams(permissions)
  const { read, write } = asParams(fileSystem)
  const paths = (kind: 'read' | 'write', list: unknown) =>
    Array.isArray(list)
      ? list.filter((path) => typeof path === 'string').map((path) => ({ id: `${kind} ${path}`, kind, path }))
      : []
  const net =
    asParams(network).enabled === true ? [{ id: 'network', kind: 'network' as const, path: '' }] : []
  return [...net, ...paths('read', read), ...paths('write', write)]
}

/** The answer that grants only these. */
export function partialGrant(granted: readonly PermissionPart[], scope: 'turn' | 'session'): Answer {
  const paths = (kind: PermissionPart['kind']) =>
    granted.filter((part) => part.kind === kind).map(({ path }) => path)
  const [read, write] = [paths('read'), paths('write')]
  const hasFiles = read.length + write.length > 0
  return {
    permissions: {
      ...(granted.some(({ kind }) => kind === 'network') && { network: { enabled: true } }),
      ...(hasFiles && {
        fileSystem: { read: read.length > 0 ? read : null, write: write.length > 0 ? write : null },
      }),
    },
    scope,
  }
}
