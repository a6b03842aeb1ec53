// What of the npm package of codex a host needs, and what it is called there.
import { createHash } from 'node:crypto'
import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { bundledCodex, type Target } from '../local/npm-codex.ts'

export interface PackageFile {
  /** Below the folder on the host, with slashes. */
  readonly name: string
  readonly place: string
  readonly bytes: number
  readonly sha256: string
}

export interface CodexPackage {
  readonly version: string
  /** `<version>-<first of its checksum>`: the name of its folder on the host. */
  readonly id: string
  readonly files: readonly PackageFile[]
  readonly bytes: number
}

/**
 * codex finds its companions beside itself: `rg` for the model, `bwrap` for the sandbox, the host of code mode for an
 * app-server. The voice host is left out: nobody speaks to a host.
 */
const NAMES = [
  'codex-package.json',
  'bin/codex',
  'bin/codex-code-mode-host',
  'codex-path/rg',
  'codex-resources/bwrap',
  'codex-resources/zsh',
]

const known = new Map<string, CodexPackage>()

/** Of the codex that is installed next to us, for a host like this; null when there is none for it here. */
export async function codexPackage(target: Target): Promise<CodexPackage | null> {
  const binary = bundledCodex(target)
  if (!binary) return null
  const { mtimeMs, size } = statSync(binary)
  const key = `${binary} ${mtimeMs} ${size}`
  const remembered = known.get(key)
  if (remembered) return remembered
  const root = path.dirname(path.dirname(binary))
  const places = NAMES.map((name) => ({ name, place: path.join(root, name) }))
  const files: PackageFile[] = []
  for (const file of places.filter(({ place }) => existsSync(place))) {
    files.push({ ...file, bytes: statSync(file.place).size, sha256: await sha256(file.place) })
  }
  const version = versionIn(root)
  const sum = createHash('sha256').update(files.map(({ name, sha256 }) => `${name} ${sha256}\n`).join(''))
  const made = {
    version,
    id: `${version}-${sum.digest('hex').slice(0, 8)}`,
    files,
    bytes: files.reduce((bytes, file) => bytes + file.bytes, 0),
  }
  known.set(key, made)
  return made
}

/** What has to be installed here, so that there is one. */
export function packageName({ platform, arch }: { platform: string; arch: string }): string {
  return `@openai/codex-${platform}-${arch}`
}

/** The package of a platform says `0.166.0-linux-x64`. */
function versionIn(root: string): string {
  const manifest = path.join(root, '..', '..', 'package.json')
  const { version } = Object(JSON.parse(readFileSync(manifest, 'utf8'))) as { version?: unknown }
  return /^\d+\.\d+\.\d+/.exec(String(version))?.[0] ?? 'unknown'
}

async function sha256(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file, { highWaterMark: 1 << 20 }), hash)
  return hash.digest('hex')
}
