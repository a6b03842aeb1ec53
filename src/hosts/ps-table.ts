// Unix without /proc (macOS, BSD): facts from `ps`. Start times have a resolution of one second.
import { execFile, execFileSync } from 'node:child_process'
import { promisify } from 'node:util'
import type { ProcessFact, ProcessTable } from './process-table.ts'

const run = promisify(execFile)
const COLUMNS = 'pid=,ppid=,stat=,lstart='
const LIMITS = { env: { PATH: '/bin:/usr/bin', LC_ALL: 'C', TZ: 'UTC' }, maxBuffer: 64 << 20, timeout: 5_000 }

export const psTable: ProcessTable = {
  look(pids) {
    if (pids.length === 0) return []
    try {
      const args = ['-o', COLUMNS, '-p', pids.join(',')]
      return parseFacts(
        execFileSync('ps', args, { ...LIMITS, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
      )
    } catch {
      return [] // ps fails when none of them exists
    }
  },

  async all() {
    return parseFacts(await output(['-A', '-o', COLUMNS]))
  },

  async withVariable(name, value) {
    // Only macOS's ps is known to print other processes' environments behind -E.
    if (process.platform !== 'darwin') return []
    const listed = await output(['-A', '-E', '-ww', '-o', 'pid=,command='])
    const marked = listed.split('\n').filter((line) => `${line} `.includes(` ${name}=${value} `))
    return psTable.look(marked.map((line) => Number.parseInt(line, 10)))
  },

  scope: () => '',
  sessionName: () => null,
}

/** Empty when there is no working ps: ending a process must go on without. */
async function output(args: readonly string[]): Promise<string> {
  return run('ps', args, LIMITS).then(
    ({ stdout }) => stdout,
    () => '',
  )
}

/** Lines like `  812     1 Ss   Sat Nov 15 21:40:01 2025`. */
export function parseFacts(output: string): ProcessFact[] {
  return output.split('\n').flatMap((line) => {
    const [pid, parentPid, state, ...start] = line.trim().split(/\s+/)
    if (!state || state.startsWith('Z') || start.length === 0) return []
    return [{ pid: Number(pid), start: start.join(' '), parentPid: Number(parentPid), sessionPid: null }]
  })
}
