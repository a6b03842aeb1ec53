// What `--yes` stands for: once, to what was asked just now. What would open the network, the whole file system, or a
// folder from then on, has flags of its own.
import type { Question } from '../../codex/index.ts'

export interface StandingYes {
  readonly network: boolean
  readonly fullAccess: boolean
}

/** Why `--yes` does not answer this question; null when it does. */
export function notCovered(question: Question, yes: StandingYes): string | null {
  if (question.kind === 'user-input') return '--yes cannot make up an answer'
  if (question.kind === 'elicitation' && question.url !== null) return '--yes cannot visit a page'
  if (!question.choices.some(({ word }) => word === 'once')) return '--yes cannot fill in a form'
  const wanted = beyondOneAction(question)
  if (wanted.network && !yes.network) return '--yes does not give the network; --yes-network does'
  if (wanted.fullAccess && !yes.fullAccess)
    return `--yes does not give ${wanted.fullAccess}; --yes-full-access does`
  return null
}

interface Beyond {
  readonly network: boolean
  /** What of the file system; null when it is only some paths. */
  readonly fullAccess: string | null
}

function beyondOneAction(question: Question): Beyond {
  switch (question.kind) {
    case 'command': {
      const more = ofPermissions(question.additionalPermissions)
      return { ...more, network: question.network !== null || more.network }
    }
    case 'file-change': {
      const { grantRoot } = question
      return { network: false, fullAccess: grantRoot === null ? null : `write access below ${grantRoot}` }
    }
    case 'permissions':
      return ofPermissions(question.permissions)
    case 'mcp-tool':
    case 'elicitation':
    case 'user-input':
      return { network: false, fullAccess: null }
  }
}

/** Codex's own shape, of which more may be sent than this version knows: what is not plainly a path counts as all. */
function ofPermissions(permissions: unknown): Beyond {
  const { network, fileSystem } = Object(permissions) as { network?: unknown; fileSystem?: unknown }
  const { read, write, entries } = Object(fileSystem) as Readonly<Record<string, unknown>>
  const paths = [...listed(read), ...listed(write), ...listed(entries).map(pathOf)]
  return {
    network: Object(network).enabled === true,
    fullAccess: paths.some((path) => !isSomePath(path)) ? 'the whole file system' : null,
  }
}

function listed(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

function pathOf(entry: unknown): unknown {
  return Object(Object(entry).path).path
}

/** A folder somewhere: not the root of a drive, not a pattern. */
function isSomePath(path: unknown): boolean {
  if (typeof path !== 'string' || /[*?[\]]/.test(path)) return false
  return !/^([a-z]:)?[\\/.]*$/i.test(path)
}
