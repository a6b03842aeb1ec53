// What is made once and made again only when what it is made from has changed. Plain JavaScript for any Node that npm
// runs on.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** Does the work unless `makes` was made from exactly these inputs, which a stamp inside it records. */
export async function step({ name, makes, from, work }) {
  const stamp = path.join(makes, '.drawbridge-stamp')
  const fingerprint = hash(from)
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === fingerprint) return
  const startedAt = Date.now()
  process.stderr.write(`${name} …\n`)
  await work()
  writeFileSync(stamp, fingerprint)
  process.stderr.write(`  done in ${((Date.now() - startedAt) / 1000).toFixed(1)} s\n`)
}

function hash(files) {
  const sum = createHash('sha256')
  for (const file of [...files].sort()) sum.update(`${file}\0`).update(readFileSync(file)).update('\0')
  return sum.digest('hex')
}

/** Ends this process when it fails: nothing after it could work. */
export function run(command, args, env = process.env) {
  try {
    execFileSync(command, args, { stdio: ['ignore', 2, 2], shell: process.platform === 'win32', env })
  } catch (error) {
    process.stderr.write(`setup failed: ${command} ${args.join(' ')}\n`)
    process.exit(error.status || 1)
  }
}

export function filesUnder(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name))
    .sort()
}
