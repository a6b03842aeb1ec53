import type { Workspace } from '../../api/index.ts'
import { EXIT, type Surroundings, UsageError } from '../process/index.ts'
import { ago, type Cell, printJson, printTable, tell, visibleLine } from '../screen/index.ts'
import { type ServiceFlags, serviceClient } from '../service/index.ts'
import { type RemovingFlags, removing } from './removing.ts'

export interface ListFlags extends ServiceFlags {
  readonly sizes?: boolean
}

export type RemoveFlags = ServiceFlags & RemovingFlags

export interface CleanFlags extends ServiceFlags {
  readonly olderThan?: string
  readonly dryRun?: boolean
}

export async function listWorkspaces(flags: ListFlags, surroundings: Surroundings): Promise<number> {
  const client = await serviceClient(flags, surroundings)
  const workspaces = await client.workspaces.list({ sizes: flags.sizes === true })
  if (flags.json) printJson(surroundings, workspaces)
  else if (workspaces.length === 0) tell(surroundings, 'There are no workspaces.')
  else printTable(surroundings, workspaceTable(workspaces, { now: Date.now(), sizes: flags.sizes === true }))
  return EXIT.done
}

export async function removeWorkspace(
  name: string,
  flags: RemoveFlags,
  surroundings: Surroundings,
): Promise<number> {
  const client = await serviceClient(flags, surroundings)
  return removing((request) => client.workspaces.remove(name, request), flags, surroundings)
}

export async function cleanWorkspaces(flags: CleanFlags, surroundings: Surroundings): Promise<number> {
  const client = await serviceClient(flags, surroundings)
  const olderThanDays = flags.olderThan === undefined ? 0 : Number(flags.olderThan)
  if (!(olderThanDays >= 0)) throw new UsageError('--older-than: must be a number of days')
  const dryRun = flags.dryRun === true
  const cleaned = await client.workspaces.clean({ olderThanDays, dryRun })
  if (flags.json) {
    printJson(surroundings, cleaned)
    return EXIT.done
  }
  for (const id of cleaned.removed) surroundings.stdout.write(`${id}\n`)
  const word = dryRun ? 'would be removed' : 'removed'
  tell(surroundings, `${cleaned.removed.length} ${word}, ${cleaned.kept.length} stay.`)
  for (const { id, why } of cleaned.kept) tell(surroundings, `  ${id}: ${why}`)
  return EXIT.done
}

function workspaceTable(
  workspaces: readonly Workspace[],
  { now, sizes }: { readonly now: number; readonly sizes: boolean },
): Cell[][] {
  const head = ['NAME', 'KIND', 'TASK', 'BRANCH', 'NOWHERE ELSE', ...(sizes ? ['SIZE'] : []), 'MADE']
  return [
    head.map((text): Cell => ({ text, colour: 'dim' })),
    ...workspaces.map((workspace) => [
      { text: workspace.id },
      { text: workspace.host === null ? workspace.kind : `${workspace.kind} on ${workspace.host}` },
      { text: taskText(workspace) },
      { text: visibleLine(workspace.branch ?? '–') },
      { text: workText(workspace), ...(workspace.problem !== null && { colour: 'red' as const }) },
      ...(sizes ? [{ text: sizeText(workspace.bytes) }] : []),
      { text: ago(workspace.createdAt, now) },
    ]),
  ]
}

function taskText({ task }: Workspace): string {
  return task === null ? 'deleted' : `${task.id.slice(-8)} ${task.status}`
}

function workText({ uncommitted, unmerged, problem, state }: Workspace): string {
  if (problem !== null) return visibleLine(problem)
  if (state !== 'ready') return state
  const parts = [uncommitted > 0 && `${uncommitted} files`, unmerged > 0 && `${unmerged} commits`]
  return parts.filter(Boolean).join(', ') || '–'
}

function sizeText(bytes: number | null): string {
  if (bytes === null) return '–'
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}
