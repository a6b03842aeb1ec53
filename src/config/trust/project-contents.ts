// What a repository would make codex start and change once it is trusted, as it is on disk now.
import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import path from 'node:path'
import { type LayerFile, readLayerFiles } from './layer-files.ts'
import { checkoutTop, codexTop, projectRoot, realPath } from './project-root.ts'
import { type LayerContents, readLayer } from './read-layer.ts'

export interface ProjectLayer extends LayerContents {
  /** The `.codex` folder. */
  readonly folder: string
  /** Over the names and bytes of every file in it that codex would load. */
  readonly digest: string
  /** Why it cannot be shown whole, and therefore not be trusted. */
  readonly problem: string | null
}

export interface ProjectLook {
  /** What trust is kept for. */
  readonly root: string
  /** The top of the checkout: the root, or in a linked worktree the worktree's own. */
  readonly top: string
  readonly folder: string
  /** From the top down to the folder; only those from which codex would load something. */
  readonly layers: readonly ProjectLayer[]
  /** Over all of the above: the same digest means that the same was shown. */
  readonly digest: string
}

/** codex does not take its own home for a project layer: `codexHome` is left out. */
export function lookAtProject(
  folder: string,
  { codexHome = null }: { codexHome?: string | null } = {},
): ProjectLook {
  const at = realPath(folder)
  const top = checkoutTop(at)
  const root = projectRoot(at)
  const home = codexHome === null ? null : realPath(codexHome)
  // Where the two differ, the higher one: more may be shown than is loaded, never less.
  const [highest = top] = [top, codexTop(at)].sort((a, b) => a.length - b.length)
  const layers = foldersBetween(highest, at)
    .map((each) => path.join(each, '.codex'))
    .filter((each) => isFolder(each) && realPath(each) !== home)
    .map((each) => lookAtLayer(each, highest))
    .filter((each) => each !== null)
  const seen = layers.map(({ folder: layer, digest, problem }) => [layer, digest, problem])
  return { root, top, folder: at, layers, digest: sha256([JSON.stringify([root, top, at, seen])]) }
}

/** codex 0.125 leaves an empty file of that name behind: nothing can be loaded from it. */
function isFolder(at: string): boolean {
  try {
    return statSync(at).isDirectory()
  } catch {
    return false
  }
}

/** null when codex would load nothing from it. */
function lookAtLayer(folder: string, top: string): ProjectLayer | null {
  const { files, problem } = readLayerFiles(folder, top)
  if (files.length === 0 && problem === null) return null
  const contents = readLayer(files)
  return { folder, digest: digestOf(files), ...contents, problem: problem ?? contents.problem }
}

function foldersBetween(top: string, folder: string): string[] {
  const folders = [folder]
  for (let at = folder; at !== top && at !== path.dirname(at); ) {
    at = path.dirname(at)
    folders.unshift(at)
  }
  return folders
}

/** With lengths, so that no two sets of files look alike. */
function digestOf(files: readonly LayerFile[]): string {
  return sha256(
    files.flatMap(({ name, bytes }) => [`${Buffer.byteLength(name)} ${bytes.length}\n`, name, bytes]),
  )
}

function sha256(parts: readonly (string | Buffer)[]): string {
  const sum = createHash('sha256')
  for (const part of parts) sum.update(part)
  return sum.digest('hex')
}
