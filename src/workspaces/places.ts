// Where workspaces are, and where what Drawbridge knows of them is.
import path from 'node:path'
import type { MachineFolders } from '../hosts/index.ts'
import type { StoredWorkspace } from '../store/index.ts'

export interface Places {
  /** Workspaces. Not in the data folder: commands in untrusted folders cannot read that. */
  readonly root: string
  /** In the data folder: what commands must not get at. */
  readonly records: string
}

export function placesOf({ hidden, work }: Pick<MachineFolders, 'hidden' | 'work'>): Places {
  return { root: work, records: path.join(hidden, 'workspaces') }
}

/** On this machine. */
export function rootBeside(dataDir: string): string {
  return `${path.resolve(dataDir)}-workspaces`
}

/** The repository in which the states of a workspace are kept, apart from the user's. */
export function historyDir({ records }: Places, id: string): string {
  return path.join(records, id)
}

/** A folder is moved there in one step before it is deleted. */
export function trashOf({ folder, id }: Pick<StoredWorkspace, 'folder' | 'id'>): string {
  return path.join(path.dirname(folder), `.removing-${id}`)
}

/** Where a clone is made before it gets its name. */
export function partialOf({ folder, id }: Pick<StoredWorkspace, 'folder' | 'id'>): string {
  return path.join(path.dirname(folder), `.making-${id}`)
}

/** Of a worktree: its repository as snapshots have it. */
export function repositoryCopyDir({ records }: Places, id: string): string {
  return path.join(records, `${id}.git`)
}

/** Of a restored workspace: its thread, until its first turn. */
export function keptThreadDir({ records }: Places, id: string): string {
  return path.join(records, `${id}.thread`)
}
