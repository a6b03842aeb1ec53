// Puts the thread of a snapshot into a codex home, under an id of its own: two tasks never write to one thread, whatever else is
// in that home. Codex (0.142 to 0.166) takes a rollout whose id was replaced in its name and its text.
import { createReadStream, createWriteStream, existsSync, globSync, readdirSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'

export interface ThreadIds {
  /** As the snapshot has it. */
  readonly from: string
  /** What it gets. */
  readonly to: string
}

/** `source`: where the rollouts of the snapshot were unpacked. Done twice, it changes nothing more. */
export async function placeThread(source: string, home: string, ids: ThreadIds): Promise<void> {
  const files = globSync('sessions/**/*.jsonl', { cwd: source })
  // The thread last: with it, its ancestors are there.
  files.sort((a, b) => Number(a.includes(ids.from)) - Number(b.includes(ids.from)))
  for (const file of files) {
    const isOwn = file.includes(ids.from)
    const target = path.join(home, isOwn ? file.replace(ids.from, ids.to) : file)
    // An ancestor that is there is the same thread.
    if (isOwn ? existsSync(target) : isThere(home, path.basename(file))) continue
    await mkdir(path.dirname(target), { recursive: true, mode: 0o700 })
    const partial = path.join(path.dirname(target), `.restoring-${ids.to}`)
    await rm(partial, { force: true })
    const output = createWriteStream(partial, { flags: 'wx', mode: 0o600, flush: true })
    const input = createReadStream(path.join(source, file))
    await (isOwn ? pipeline(input, replacing(ids), output) : pipeline(input, output))
    await rename(partial, target)
  }
}

function isThere(home: string, name: string): boolean {
  const folders = ['sessions', 'archived_sessions'].map((folder) => path.join(home, folder))
  return folders.some(
    (folder) =>
      existsSync(folder) &&
      readdirSync(folder, { recursive: true }).some((each) => path.basename(String(each)) === name),
  )
}

/** Both ids have the same length: a match can only be cut by the end of a part. */
function replacing({ from, to }: ThreadIds): Transform {
  let rest = ''
  return new Transform({
    transform(part: Buffer, _, done) {
      const text = (rest + part.toString('latin1')).replaceAll(from, to)
      const kept = Math.min(from.length - 1, text.length)
      rest = text.slice(text.length - kept)
      done(null, Buffer.from(text.slice(0, text.length - kept), 'latin1'))
    },
    flush(done) {
      done(null, Buffer.from(rest, 'latin1'))
    },
  })
}

/** The way of a rollout in a snapshot: as codex looks for it, also for one that was archived. */
export function rolloutWay(file: string, home: string): string {
  const way = path.relative(home, file)
  const day = /rollout-(\d{4})-(\d\d)-(\d\d)T/.exec(path.basename(file))
  if (way.startsWith(`sessions${path.sep}`) || !day) return way.split(path.sep).join('/')
  return ['sessions', ...day.slice(1, 4), path.basename(file)].join('/')
}
