// The throw-away folders of a test run in memory, for this run alone: a mount that no other process of the machine sees,
// and that is gone with the last process of the run. Codex and SQLite make, sync and delete thousands of small files.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'

const NEEDED_BYTES = 8 * 2 ** 30

/** `[command, args]` as they are where that cannot be had: not Linux, not root, too little memory, or asked not to. */
export function inMemory(command, args) {
  if (process.platform !== 'linux' || process.env.DRAWBRIDGE_TEST_ON_DISK) return [command, args]
  if (process.getuid() !== 0 || availableBytes() < NEEDED_BYTES) return [command, args]
  const cache = process.env.XDG_CACHE_HOME || path.join(homedir(), '.cache')
  const folder = path.join(cache, 'drawbridge-testing')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const mounted = (then) => [
    '--mount',
    ...['sh', '-c', `mount -t tmpfs -o mode=0700,size=50% drawbridge-testing "$0" && ${then}`, folder],
  ]
  const isAllowed = spawnSync('unshare', mounted('true'), { stdio: 'ignore' }).status === 0
  return isAllowed ? ['unshare', [...mounted('exec "$@"'), command, ...args]] : [command, args]
}

function availableBytes() {
  const [, kilobytes] = /^MemAvailable:\s+(\d+)/m.exec(readFileSync('/proc/meminfo', 'utf8')) ?? []
  return Number(kilobytes ?? 0) * 1024
}
