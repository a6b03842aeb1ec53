// A task as it is being written, and the request it becomes.
import type { PresetName, StartTask, ThreadPolicy } from '../api/contract.ts'
import type { AttachedImage } from '../task/images.ts'
import { turnInput } from '../task/turn-input.ts'
import { type AccessDraft, accessPolicy, NO_ACCESS } from './access-draft.ts'

export interface Draft extends AccessDraft {
  readonly prompt: string
  /** null until it is written: the service's own default. */
  readonly cwd: string | null
  readonly title: string
  readonly labels: string
  readonly notify: string
  readonly model?: string
  readonly effort?: string
  readonly sandbox?: ThreadPolicy['sandbox']
  readonly preset?: PresetName
  /** A worker or a label; empty: any. */
  readonly on: string
  readonly onLost: 'wait' | 'fail'
  /** The name of a host; empty: the machine of the service. */
  readonly host: string
  /** An account, or `pool:` and a pool; empty: Codex's own login. */
  readonly account: string
  readonly workspace: 'folder' | 'worktree' | 'clone' | 'scratch'
  /** What a worktree or a clone begins with; empty: what is checked out. */
  readonly from: string
  /** Further repositories of a worktree: a folder in each line. */
  readonly also: string
  /** What is cloned; empty: the folder. */
  readonly source: string
}

export const EMPTY_DRAFT: Draft = {
  prompt: '',
  cwd: null,
  title: '',
  labels: '',
  notify: '',
  on: '',
  onLost: 'wait',
  host: '',
  account: '',
  workspace: 'folder',
  from: '',
  also: '',
  source: '',
  ...NO_ACCESS,
  sandbox: 'read-only',
  preset: 'ask-all',
}

/**
 * What is remembered for the next one: everything but what it was about, what it could touch besides its folder, and where it
 * ran: workers, hosts and accounts come and go. A folder of a host is none of this machine.
 */
export function rememberedPart(draft: Draft): Draft {
  const cwd = draft.host === '' ? draft.cwd : null
  const { prompt, title, on, onLost, host, account, workspace, from, also, source } = EMPTY_DRAFT
  return {
    ...draft,
    ...NO_ACCESS,
    prompt,
    title,
    on,
    onLost,
    host,
    account,
    workspace,
    from,
    also,
    source,
    cwd,
  }
}

export function startRequest(
  draft: Draft & { readonly cwd: string },
  images: readonly AttachedImage[],
): StartTask {
  const { model, effort, sandbox, preset } = draft
  const chosen = Object.entries({ model, effort, sandbox }).filter(([, value]) => value !== undefined)
  const policy = { ...Object.fromEntries(chosen), ...accessPolicy(draft) }
  const labels = words(draft.labels)
  const notify = words(draft.notify)
  return {
    prompt: turnInput(draft.prompt.trim(), images),
    cwd: draft.cwd.trim(),
    ...(draft.title.trim() !== '' && { title: draft.title.trim() }),
    ...(Object.keys(policy).length > 0 && { policy }),
    ...(preset !== undefined && { preset }),
    ...(labels.length > 0 && { labels }),
    ...(notify.length > 0 && { notify }),
    ...(draft.on !== '' && { on: draft.on }),
    ...(draft.onLost === 'fail' && { onLost: 'fail' as const }),
    ...(draft.host !== '' && { host: draft.host }),
    ...(draft.account !== '' && { account: draft.account }),
    ...workspaceFields(draft),
  }
}

function workspaceFields({
  workspace: kind,
  from,
  also,
  source,
  cwd,
}: Draft & { readonly cwd: string }): Pick<StartTask, 'workspace'> {
  if (kind === 'folder') return {}
  const begin = kind !== 'scratch' && from.trim() !== '' ? { from: from.trim() } : {}
  const others = kind === 'worktree' ? lines(also).map((folder) => ({ source: folder })) : []
  const more = others.length > 0 ? { also: others } : {}
  return {
    workspace: { kind, ...begin, ...more, ...(kind === 'clone' && { source: source.trim() || cwd.trim() }) },
  }
}

function lines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

function words(text: string): string[] {
  return text
    .split(/[,\n]/)
    .map((word) => word.trim())
    .filter((word) => word !== '')
}
