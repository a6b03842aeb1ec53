// The files of a `.codex` folder that codex loads once the project is trusted.
import { lstatSync, opendirSync, realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import { readSmallFile } from '../read-small-file.ts'

const MAX_FILE_BYTES = 1024 * 1024
const MAX_FILES = 200
const MAX_DEPTH = 20
const PARTS = ['config.toml', 'hooks.json', 'rules', 'agents']

export interface LayerFile {
  /** Relative to the `.codex` folder, with `/`. */
  readonly name: string
  readonly bytes: Buffer
}

export interface LayerFiles {
  readonly files: readonly LayerFile[]
  /** Why this is not all of it. Such a layer cannot be trusted, because it cannot be shown whole. */
  readonly problem: string | null
}

/** Everything at or below `folder` must really be inside `top`: what a symlink leads to can change unseen. */
export function readLayerFiles(folder: string, top: string): LayerFiles {
  const files: LayerFile[] = []
  try {
    checkInside(folder, top, '.codex')
    for (const name of namesIn(folder, top)) files.push({ name, bytes: bytesOf(folder, name) })
    return { files, problem: null }
  } catch (error) {
    if (error instanceof LayerProblem) return { files, problem: error.message }
    return { files, problem: `cannot be read (${(error as NodeJS.ErrnoException).code ?? error})` }
  }
}

class LayerProblem extends Error {}

/** Sorted, so that the digest does not depend on the file system's order. */
function namesIn(folder: string, top: string): string[] {
  const files: string[] = []
  const waiting = PARTS.filter((name) => lstatSync(path.join(folder, name), { throwIfNoEntry: false }))
  let seen = waiting.length
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const entry = path.join(folder, name)
    checkInside(entry, top, name)
    if (!statSync(entry).isDirectory()) {
      files.push(name)
      continue
    }
    if (name.split('/').length > MAX_DEPTH) throw new LayerProblem(`${name} is nested too deep`)
    for (const inner of entriesOf(entry, MAX_FILES - seen)) {
      waiting.push(`${name}/${inner}`)
      seen += 1
    }
  }
  return files.sort()
}

function entriesOf(folder: string, max: number): string[] {
  const names: string[] = []
  const open = opendirSync(folder)
  try {
    for (let entry = open.readSync(); entry; entry = open.readSync()) {
      if (names.length >= max) throw new LayerProblem(`has more than ${MAX_FILES} files`)
      names.push(entry.name)
    }
  } finally {
    open.closeSync()
  }
  return names
}

function bytesOf(folder: string, name: string): Buffer {
  const read = readSmallFile(path.join(folder, name), MAX_FILE_BYTES)
  if ('bytes' in read) return read.bytes
  throw new LayerProblem(`${name} ${read.problem ?? 'is gone'}`)
}

function checkInside(file: string, top: string, name: string): void {
  let real: string
  try {
    real = realpathSync(file)
  } catch (error) {
    throw new LayerProblem(`${name} cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
  const away = path.relative(top, real)
  if (away === '..' || away.startsWith(`..${path.sep}`) || path.isAbsolute(away))
    throw new LayerProblem(`${name} is a symlink that leads out of the project`)
}
