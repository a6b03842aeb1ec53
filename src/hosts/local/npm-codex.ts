// The npm package `@openai/codex`: a Node launcher (bin/codex.js) and, in a package per platform, the real binary.
// We run the binary itself, so that no Node process sits between us and codex.
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

export interface Target {
  readonly platform: NodeJS.Platform
  readonly arch: string
}

const triples: Readonly<Record<string, string>> = {
  'linux-x64': 'x86_64-unknown-linux-musl',
  'linux-arm64': 'aarch64-unknown-linux-musl',
  'darwin-x64': 'x86_64-apple-darwin',
  'darwin-arm64': 'aarch64-apple-darwin',
  'win32-x64': 'x86_64-pc-windows-msvc',
  'win32-arm64': 'aarch64-pc-windows-msvc',
}

/** The binary of the `@openai/codex` installed next to us; null when there is none for this platform. */
export function bundledCodex(target: Target): string | null {
  const require = createRequire(ourPlace())
  const launcher = resolve(require, '@openai/codex/package.json')
  return (launcher && binaryOf(path.dirname(launcher), target)) ?? binaryIn(require, target)
}

/** A CommonJS bundle leaves `import.meta` empty; then we are where the program is. */
function ourPlace(): string | URL {
  return import.meta.url ?? path.resolve(process.argv[1] ?? '.')
}

/** The binary behind the launcher at this path; null when this is not that launcher or its binary is missing. */
export function behindLauncher(file: string, target: Target): string | null {
  const beside = path.join(path.dirname(file), 'node_modules', '@openai', 'codex')
  // On Windows npm puts a .cmd script beside the global node_modules instead of a link.
  if (/\.(cmd|ps1)$/i.test(file)) return existsSync(beside) ? binaryOf(beside, target) : null
  const script = realpathSync(file)
  if (path.basename(script) !== 'codex.js') return null
  const root = path.dirname(path.dirname(script))
  return isCodexPackage(root) ? binaryOf(root, target) : null
}

function binaryOf(packageRoot: string, target: Target): string | null {
  const require = createRequire(path.join(packageRoot, 'package.json'))
  // Its own folder first: resolving climbs, and could end at the binary of another installation.
  return inVendor(path.join(packageRoot, 'vendor'), target) ?? binaryIn(require, target)
}

function binaryIn(require: NodeJS.Require, target: Target): string | null {
  const manifest = resolve(require, `@openai/codex-${systemOf(target)}/package.json`)
  return manifest && inVendor(path.join(path.dirname(manifest), 'vendor'), target)
}

function inVendor(vendor: string, target: Target): string | null {
  const triple = triples[systemOf(target)]
  if (!triple) return null
  const name = target.platform === 'win32' ? 'codex.exe' : 'codex'
  // `codex/` up to 0.130, `bin/` since.
  const places = ['bin', 'codex'].map((folder) => path.join(vendor, triple, folder, name))
  return places.find((place) => existsSync(place)) ?? null
}

function systemOf({ platform, arch }: Target): string {
  return `${platform === 'android' ? 'linux' : platform}-${arch}`
}

function isCodexPackage(root: string): boolean {
  try {
    return JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')).name === '@openai/codex'
  } catch {
    return false
  }
}

function resolve(require: NodeJS.Require, file: string): string | null {
  try {
    return require.resolve(file)
  } catch {
    return null
  }
}
