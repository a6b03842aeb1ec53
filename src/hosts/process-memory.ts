import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The bytes this process takes: its share of memory (PSS) where the system tells, else all it touches (RSS); or null. */
export async function memoryOf(pid: number): Promise<number | null> {
  if (process.platform === 'win32') return null
  if (process.platform === 'darwin') return kilobytes(await ofPs(pid), /(\d+)/)
  const share = kilobytes(await read(`/proc/${pid}/smaps_rollup`), /^Pss:\s+(\d+) kB$/m)
  return share ?? kilobytes(await read(`/proc/${pid}/status`), /^VmRSS:\s+(\d+) kB$/m)
}

function kilobytes(text: string, pattern: RegExp): number | null {
  const found = pattern.exec(text)?.[1]
  return found === undefined ? null : Number(found) * 1024
}

async function ofPs(pid: number): Promise<string> {
  return run('ps', ['-o', 'rss=', '-p', `${pid}`], { timeout: 5_000 }).then(
    ({ stdout }) => stdout,
    () => '',
  )
}

async function read(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '')
}
