// The MCP Inspector as a program. It is large and only a test needs it: installed from npm when first asked for, into the user's
// cache folder, like other versions of codex (`scripts/codex-versions.mjs`). Once there it needs no network.
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'

/** Needs Node 22.19; tests run on 24. */
const VERSION = '2.12.0'
const LAUNCHER = 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js'
export const INSTALL_TIMEOUT_MS = 300_000
const RUN_TIMEOUT_MS = 45_000

const cacheDir = path.join(process.env.XDG_CACHE_HOME || path.join(homedir(), '.cache'), 'drawbridge')
const folder = path.join(cacheDir, 'mcp-inspector', VERSION)

/** Into a folder beside its place, then moved there in one step: a folder with a version's name is complete. */
export async function installInspector(): Promise<void> {
  if (existsSync(path.join(folder, LAUNCHER))) return
  mkdirSync(path.dirname(folder), { recursive: true })
  const work = mkdtempSync(path.join(path.dirname(folder), '.installing-'))
  const flags = ['--no-save', '--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund']
  try {
    writeFileSync(path.join(work, 'package.json'), '{ "private": true }\n')
    const wanted = `@modelcontextprotocol/inspector@${VERSION}`
    await promisify(execFile)('npm', ['install', '--prefix', work, ...flags, '--loglevel=error', wanted], {
      cwd: work,
      timeout: INSTALL_TIMEOUT_MS,
      killSignal: 'SIGKILL',
      shell: process.platform === 'win32',
    })
    renameSync(work, folder)
  } catch (error) {
    // Another process may have been faster.
    if (!existsSync(path.join(folder, LAUNCHER)))
      throw new Error(`the MCP Inspector ${VERSION} could not be installed from npm`, { cause: error })
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** Runs it in CLI mode, with a home of its own: it keeps a list of servers there. Returns the JSON it prints. */
export async function inspect<T>(args: readonly string[], { cwd }: { cwd: string }): Promise<T> {
  const home = mkdtempSync(path.join(tmpdir(), 'inspector-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [path.join(folder, LAUNCHER), '--cli', ...args],
    {
      cwd,
      env: { PATH: process.env.PATH, HOME: home },
      timeout: RUN_TIMEOUT_MS,
      maxBuffer: 16 * 1024 * 1024,
    },
  )
  return JSON.parse(stdout) as T
}
