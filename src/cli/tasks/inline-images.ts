// Images of this machine for a codex that cannot be given its paths.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { TurnInput } from '../../api/index.ts'
import { UsageError } from '../process/index.ts'

/** By the end of the name: what models take. */
const TYPES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
}

/** The same input, for a task on this host: its images travel with it. null: the task works here, and reads them itself. */
export function inputFor(host: string | null, input: TurnInput): TurnInput {
  if (host === null || typeof input === 'string') return input
  return input.map((item) => (item.type === 'localImage' ? { type: 'image', url: dataUrl(item.path) } : item))
}

function dataUrl(file: string): string {
  const type = TYPES[path.extname(file).toLowerCase()]
  if (type === undefined)
    throw new UsageError(`--image: for a task on a host, ${file} must be a png, jpg, gif or webp`)
  return `data:${type};base64,${readImage(file)}`
}

function readImage(file: string): string {
  try {
    return readFileSync(file, 'base64')
  } catch (error) {
    throw new UsageError(`--image: ${file} cannot be read: ${(error as Error).message}`)
  }
}
