// A task as it is being written, and the request it becomes.
import type { PresetName, StartTask, ThreadPolicy } from '../api/contract.ts'
import type { AttachedImage } from '../task/images.ts'
import { turnInput } from '../task/turn-input.ts'

export interface Draft {
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
}

export const EMPTY_DRAFT: Draft = {
  prompt: '',
  cwd: null,
  title: '',
  labels: '',
  notify: '',
  on: '',
  onLost: 'wait',
  sandbox: 'read-only',
  preset: 'ask-all',
}

/** What is remembered for the next one: everything but what it was about, and where it ran: workers come and go. */
export function rememberedPart(draft: Draft): Draft {
  return { ...draft, prompt: '', title: '', on: '', onLost: 'wait' }
}

export function startRequest(
  draft: Draft & { readonly cwd: string },
  images: readonly AttachedImage[],
): StartTask {
  const { model, effort, sandbox, preset } = draft
  const policy = Object.fromEntries(
    Object.entries({ model, effort, sandbox }).filter(([, value]) => value !== undefined),
  )
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
  }
}

function words(text: string): string[] {
  return text
    .split(/[,\n]/)
    .map((word) => word.trim())
    .filter((word) => word !== '')
}
