// What the model is told, once, when its thread goes on from a snapshot: what is different from what it remembers.
import type { SnapshotFacts } from './facts.ts'

const SHOWN_FILES = 20

export interface RestoredPlace {
  readonly machine: string
  readonly cwd: string
  readonly now: number
  /** Tools that it had and does not have here. */
  readonly missingTools: readonly string[]
}

export function modelNotice(facts: SnapshotFacts, place: RestoredPlace): string {
  const { takenAt, task, machine, leftOut, leftOutCounts, workspace } = facts
  const count = Object.values(leftOutCounts).reduce((sum, each) => sum + each, 0)
  const names = leftOut.slice(0, SHOWN_FILES).map(({ path, why }) => `  - ${JSON.stringify(path)} (${why})`)
  const more = count > names.length ? [`  - and ${count - names.length} more`] : []
  return [
    'Note from Drawbridge: this task continues from a snapshot of its files and of this conversation.',
    `- The snapshot was taken at ${new Date(takenAt).toISOString()}, ${durationText(place.now - takenAt)} ago. Nothing that was done after it is here.`,
    task.cwd === place.cwd
      ? `- The working folder is ${place.cwd}.`
      : `- The working folder is now ${place.cwd}. Before it was ${task.cwd}: use the new one.`,
    machine === place.machine
      ? '- Processes that ran before do not run any more.'
      : `- This is another machine (${place.machine}, before ${machine}): installed programs, services and everything outside of the working folder may be different. Processes that ran before do not run here.`,
    ...(count > 0 ? [`- ${count} files and folders are not in the snapshot:`, ...names, ...more] : []),
    ...(workspace.kind === 'worktree'
      ? ['- The git repository here begins with the commit that the work began with. Nothing is staged.']
      : []),
    ...(place.missingTools.length > 0
      ? [`- These tools are not available here: ${place.missingTools.join(', ')}.`]
      : []),
  ].join('\n')
}

function durationText(ms: number): string {
  const minutes = Math.max(0, Math.round(ms / 60_000))
  if (minutes < 60) return plural(minutes, 'minute')
  const hours = Math.round(minutes / 60)
  return hours < 48 ? plural(hours, 'hour') : plural(Math.round(hours / 24), 'day')
}

function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`
}
