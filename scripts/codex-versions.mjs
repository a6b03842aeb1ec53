// Other versions of codex than the pinned one, for test/drift: installed from npm when first asked for, a folder per
// version in the user's cache folder. Runs on any Node that npm runs on (20 included), hence plain JavaScript.
//
//   node scripts/codex-versions.mjs install 0.125.0    prints the path of the binary
//   node scripts/codex-versions.mjs list
//   node scripts/codex-versions.mjs remove [0.125.0]   without a version: all of them
import { execFile } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const INSTALL_TIMEOUT_MS = 600_000
const POLL_MS = 250

const repository = fileURLToPath(new URL('..', import.meta.url))

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    process.exitCode = await main(process.argv.slice(2))
  } catch (error) {
    say(error.message)
    process.exitCode = 1
  }
}

/** The real binary of this version: the repository's own where that is the one, else installed into the cache. */
export async function installCodex(version, { timeoutMs = INSTALL_TIMEOUT_MS } = {}) {
  const known = pinnedCodex(version) ?? binaryIn(folderOf(version))
  if (known) return known
  mkdirSync(cacheDir(), { recursive: true })
  const deadline = Date.now() + timeoutMs
  const unlock = await lock(version, deadline)
  try {
    // Whoever held the lock before us may have installed it.
    return binaryIn(folderOf(version)) ?? (await install(version, deadline))
  } finally {
    unlock()
  }
}

/** The versions in the cache, oldest first. */
export function installedVersions() {
  if (!existsSync(cacheDir())) return []
  return readdirSync(cacheDir())
    .filter((name) => isVersion(name) && binaryIn(folderOf(name)))
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
}

/** Takes one version out of the cache, or all of it. */
export function removeCodex(version) {
  rmSync(version === undefined ? cacheDir() : folderOf(version), { recursive: true, force: true })
}

async function main([command, version, ...rest]) {
  if (command === 'install' && version && rest.length === 0) {
    process.stdout.write(`${await installCodex(version)}\n`)
    return 0
  }
  if (command === 'list' && version === undefined) {
    for (const installed of installedVersions()) process.stdout.write(`${installed}\n`)
    return 0
  }
  if (command === 'remove' && rest.length === 0) {
    removeCodex(version)
    return 0
  }
  say('usage: codex-versions.mjs install <version> | list | remove [version]')
  return 2
}

/** Into a folder beside its place, then moved there in one step: a folder with a version's name is complete. */
async function install(version, deadline) {
  const startedAt = Date.now()
  const work = path.join(cacheDir(), `.installing-${version}`)
  rmSync(work, { recursive: true, force: true })
  mkdirSync(work)
  say(`Installing codex ${version} from npm (200 to 450 MB, once) …`)
  try {
    writeFileSync(path.join(work, 'package.json'), '{ "private": true }\n')
    await npmInstall(version, { work, timeoutMs: deadline - Date.now() })
    if (!binaryIn(work)) throw new Error(`it has no binary for ${process.platform}-${process.arch}`)
    rmSync(folderOf(version), { recursive: true, force: true })
    renameSync(work, folderOf(version))
  } catch (error) {
    rmSync(work, { recursive: true, force: true })
    throw new Error(`codex ${version} could not be installed: ${error.message}`, { cause: error })
  }
  say(`  done in ${((Date.now() - startedAt) / 1000).toFixed(1)} s`)
  return binaryIn(folderOf(version))
}

async function npmInstall(version, { work, timeoutMs }) {
  // Its platform package is an optional dependency: npm takes the one for this machine.
  const flags = ['--prefix', work, '--no-save', '--no-package-lock', '--include=optional', '--ignore-scripts']
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error']
  const options = {
    cwd: work,
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    shell: process.platform === 'win32',
  }
  try {
    await promisify(execFile)('npm', ['install', ...flags, ...quiet, `@openai/codex@${version}`], options)
  } catch (error) {
    if (error.killed) throw new Error(`npm did not finish within ${Math.round(timeoutMs / 1000)} s`)
    throw new Error(error.stderr?.trim() || error.message)
  }
}

/**
 * Keeps two processes from downloading the same version. The lock of a process that is gone, or that has held it for
 * longer than any install may take, does not count.
 */
async function lock(version, deadline) {
  const file = path.join(cacheDir(), `.lock-${version}`)
  for (let waited = false; ; waited = true) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx' })
      return () => rmSync(file, { force: true })
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
    if (isStale(file)) rmSync(file, { force: true })
    if (Date.now() > deadline) {
      throw new Error(`codex ${version} is still being installed by another process; if not, delete ${file}`)
    }
    if (!waited) say(`Waiting for another process to install codex ${version} …`)
    await delay(POLL_MS)
  }
}

function isStale(file) {
  try {
    if (Date.now() - statSync(file).mtimeMs > INSTALL_TIMEOUT_MS) return true
    const pid = Number(readFileSync(file, 'utf8'))
    // Between its creation and the writing of its pid it is empty.
    if (pid > 0) process.kill(pid, 0)
    return false
  } catch (error) {
    return error.code === 'ESRCH'
  }
}

function pinnedCodex(version) {
  const manifest = path.join(repository, 'node_modules/@openai/codex/package.json')
  if (!existsSync(manifest) || JSON.parse(readFileSync(manifest, 'utf8')).version !== version) return null
  return binaryIn(repository)
}

function binaryIn(folder) {
  const vendor = path.join(folder, `node_modules/@openai/codex-${process.platform}-${process.arch}/vendor`)
  if (!existsSync(vendor)) return null
  const name = process.platform === 'win32' ? 'codex.exe' : 'codex'
  // `codex/` up to 0.130, `bin/` since.
  const places = readdirSync(vendor).flatMap((triple) => [
    path.join(vendor, triple, 'bin', name),
    path.join(vendor, triple, 'codex', name),
  ])
  return places.find((place) => existsSync(place)) ?? null
}

function cacheDir() {
  return path.join(
    process.env.XDG_CACHE_HOME || path.join(homedir(), '.cache'),
    'drawbridge',
    'codex-versions',
  )
}

function folderOf(version) {
  if (!isVersion(version)) throw new Error(`not a version of codex: ${version}`)
  return path.join(cacheDir(), version)
}

function isVersion(text) {
  return /^\d+\.\d+\.\d+(-[0-9A-Za-z.]+)?$/.test(text)
}

function say(line) {
  process.stderr.write(`${line}\n`)
}
