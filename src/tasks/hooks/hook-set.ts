// The hooks that were given, complete, and which of them a task gets.
import path from 'node:path'
import { redact } from '../../codex/index.ts'
import type { StoredTask } from '../../store/index.ts'
import { isInside } from '../../util/is-inside.ts'
import type { HookEvent, TaskHook, TaskWorkspace } from '../model/index.ts'

export type Hook = Required<{ [Key in keyof TaskHook]: NonNullable<TaskHook[Key]> }>

const MINUTE_MS = 60_000
const TIMEOUT_MS = { before: 10 * MINUTE_MS, other: MINUTE_MS }

export function completeHook(hook: TaskHook): Hook {
  const isBefore = hook.on === 'before'
  return {
    name: hook.name,
    on: hook.on,
    title: redact(hook.title ?? hook.name),
    labels: hook.labels ?? [],
    folders: hook.folders ?? [],
    onlyTrusted: hook.onlyTrusted ?? false,
    timeoutMs: hook.timeoutMs ?? (isBefore ? TIMEOUT_MS.before : TIMEOUT_MS.other),
    onFailure: hook.onFailure ?? (isBefore ? 'stop' : 'go on'),
    repeatable: hook.repeatable ?? false,
    run: (...given) => hook.run(...given),
  }
}

export interface HookPlace {
  readonly row: StoredTask
  readonly labels: readonly string[]
  readonly isTrusted: (row: StoredTask) => boolean
}

/** Those of one event that a task gets, in the order in which they were given. */
export function hooksFor(
  hooks: readonly Hook[],
  on: HookEvent,
  { row, labels, isTrusted }: HookPlace,
): readonly Hook[] {
  return hooks.filter(
    (hook) =>
      hook.on === on &&
      (hook.labels.length === 0 || hook.labels.some((label) => labels.includes(label))) &&
      (hook.folders.length === 0 || isIn(hook.folders, row)) &&
      (!hook.onlyTrusted || isTrusted(row)),
  )
}

function isIn(folders: readonly string[], { cwd, host, workspace }: StoredTask): boolean {
  if (host !== null) return false
  const { source = null, kind } = (workspace === null ? {} : JSON.parse(workspace)) as Partial<TaskWorkspace>
  // A snapshot can come from elsewhere: where it says that it was taken is no reason to run anything in it.
  const isKnown = source !== null && path.isAbsolute(source) && kind !== 'snapshot'
  const places = isKnown ? [cwd, source] : [cwd]
  return places.some((place) => isInside(folders, place))
}
