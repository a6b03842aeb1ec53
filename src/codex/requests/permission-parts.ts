// Permissions taken apart, so that a person can grant some of them.
import type { protocol } from '../protocol/index.ts'

type Asked = protocol.v2.RequestPermissionProfile
type Granted = protocol.v2.GrantedPermissionProfile
type Entry = protocol.v2.FileSystemSandboxEntry

/** One thing of those asked for. */
export interface PermissionPart {
  /** `deny` is a limit to the others: it is not granted, and goes with whatever is. */
  readonly access: 'network' | Entry['access']
  /** For a person: `write /srv/x`. */
  readonly label: string
  /** What of codex's own lists it stands for. */
  readonly path: string | null
  readonly entry: Entry | null
}

export function permissionParts({ network, fileSystem }: Asked): readonly PermissionPart[] {
  const entries = (fileSystem?.entries ?? []).map((entry): PermissionPart => {
    const label = `${entry.access} ${placeOf(entry.path)}`
    return { access: entry.access, label, path: pathOf(entry), entry }
  })
  // codex repeats plain paths in these lists; versions without entries have nothing else.
  const listed = (access: 'read' | 'write'): PermissionPart[] =>
    (fileSystem?.[access] ?? [])
      .filter((path) => !entries.some((part) => part.access === access && part.path === path))
      .map((path) => ({ access, label: `${access} ${path}`, path, entry: null }))
  const all: PermissionPart = { access: 'network', label: 'the network, all of it', path: null, entry: null }
  return [...(network?.enabled ? [all] : []), ...entries, ...listed('read'), ...listed('write')]
}

/** The answer that grants these parts and no others. */
export function grantParts({ network, fileSystem }: Asked, chosen: readonly PermissionPart[]): Granted {
  const places = chosen.filter(({ access }) => access === 'read' || access === 'write')
  const isGiven = (access: string, path: string) =>
    places.some((part) => part.access === access && part.path === path)
  const kept = (access: 'read' | 'write') =>
    fileSystem?.[access]?.filter((path) => isGiven(access, path)) ?? null
  const entries = fileSystem?.entries?.filter(
    (entry) => entry.access === 'deny' || places.some((part) => part.entry === entry),
  )
  return {
    ...(network && chosen.some(({ access }) => access === 'network') && { network }),
    ...(fileSystem &&
      places.length > 0 && {
        fileSystem: { ...fileSystem, read: kept('read'), write: kept('write'), ...(entries && { entries }) },
      }),
  }
}

function pathOf({ path }: Entry): string | null {
  return path.type === 'path' ? path.path : null
}

/** A path, a pattern, or one of codex's names for a place. */
function placeOf(place: { readonly type: string }): string {
  const { path, pattern, value } = place as { path?: string; pattern?: string; value?: { kind?: string } }
  if (value?.kind === 'root') return 'everything on this machine'
  return path ?? pattern ?? JSON.stringify(value ?? place)
}
