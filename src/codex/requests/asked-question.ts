// A question in the words of the rules. Nothing that is asked for may be lost on the way: what is left out is granted
// unseen. What rules have no words for becomes `other`, which only a person answers.
import type { Asked, AskedAction, AskedPermissions } from '../rules/index.ts'
import type { FileChangeQuestion, Question } from './question.ts'

export function askedQuestion(
  question: Question,
  { workspaceRoots, labels }: Pick<Asked, 'workspaceRoots' | 'labels'>,
): Asked {
  // What holds for a thread holds for those who work for it.
  const threadId = question.parent?.threadId ?? question.threadId ?? ''
  return { ...askedAction(question), threadId, labels, workspaceRoots }
}

function askedAction(question: Question): AskedAction {
  switch (question.kind) {
    case 'command':
      return askedCommand(question)
    case 'file-change':
      return askedChanges(question)
    case 'permissions':
      return {
        kind: 'permissions',
        permissions: askedPermissions(question.permissions),
        cwd: question.cwd || null,
      }
    case 'mcp-tool': {
      const { server, tool, title } = question
      return tool === null ? other(title) : { kind: 'mcp-tool', server, tool, isReadOnly: null }
    }
    case 'elicitation':
      return question.url === null ? { kind: 'elicitation', server: question.server } : other(question.title)
    case 'user-input':
      return { kind: 'user-input' }
  }
}

function askedCommand(question: Extract<Question, { kind: 'command' }>): AskedAction {
  const { kind, command = null } = Object(question.params) as { kind?: string; command?: string | null }
  const { network, additionalPermissions } = question
  const permissions = additionalPermissions === null ? null : askedPermissions(additionalPermissions)
  // The text that would be typed into a running command is not told.
  if (kind === 'writeStdin') return other(question.title)
  if (network && command === null) return { kind: 'host', host: network.host }
  return {
    kind: 'command',
    command,
    cwd: question.cwd || null,
    // With more permissions it stays in its sandbox. Every other command that is approved may leave it: codex asks for
    // exactly that, or (policy `untrusted`, 0.125 and 0.166 tried) runs it inside and, when it sees the sandbox stop it,
    // once more outside without asking again. The request does not tell the two apart.
    isEscalated: permissions === null || isNothing(permissions),
    ...(network && { host: network.host }),
    ...(permissions && { permissions }),
  }
}

function askedChanges({ changes, grantRoot, cwd, title }: FileChangeQuestion): AskedAction {
  // Codex did not say what it is about.
  if (changes.length === 0) return other(title)
  const all = changes.flatMap(({ path, kind }) => {
    const moved =
      kind.type === 'update' && kind.move_path ? [{ path: kind.move_path, change: 'add' as const }] : []
    return [{ path, change: kind.type }, ...moved]
  })
  return { kind: 'file-change', changes: all, grantRoot, cwd: cwd || null }
}

/** Codex's own shape; of what this version does not know, everything counts as `other`. */
function askedPermissions(permissions: unknown): AskedPermissions {
  const { network, fileSystem, ...unknown } = Object(permissions) as Readonly<Record<string, unknown>>
  const {
    read,
    write,
    entries,
    globScanMaxDepth: _,
    ...unknownPaths
  } = Object(fileSystem) as Readonly<Record<string, unknown>>
  const placed = list(entries).map((entry) => Object(entry) as { access?: unknown; path?: unknown })
  const paths = (access: string, listed: unknown) => {
    const named = placed.filter((entry) => entry.access === access).map(pathOf)
    return [...new Set([...list(listed), ...named].filter((path) => typeof path === 'string'))]
  }
  const strange = placed.filter(
    (entry) => pathOf(entry) === null || !/^(read|write)$/.test(String(entry.access)),
  )
  const rest = [...Object.entries(unknown), ...Object.entries(unknownPaths)]
  return {
    readPaths: paths('read', read),
    writePaths: paths('write', write),
    network: Object(network).enabled === true,
    other: [
      ...strange.map((entry) => JSON.stringify(entry)),
      ...rest
        .filter(([, value]) => value !== null)
        .map(([name, value]) => `${name}: ${JSON.stringify(value)}`),
    ],
  }
}

/** `{ network: { enabled: false } }`, with which codex asks about a dangerous command in a thread without a sandbox. */
function isNothing({ readPaths, writePaths, network, other: unknown }: AskedPermissions): boolean {
  return readPaths.length + writePaths.length + unknown.length === 0 && !network
}

/** Null for a pattern or one of codex's names for a place. */
function pathOf({ path }: { path?: unknown }): string | null {
  const { type, path: place } = Object(path) as { type?: unknown; path?: unknown }
  return type === 'path' && typeof place === 'string' ? place : null
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

function other(what: string): AskedAction {
  return { kind: 'other', what }
}
