import { readdirSync, readFileSync } from 'node:fs'

/** The command lines of ssh processes here that belong to this data folder. */
export function sshProcesses(dataDir: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => `${pid} ${commandLine(pid)}`)
    .filter((line) => line.includes(dataDir) && /\bssh\b/.test(line))
}

/** The pid of the one ssh that holds the connection. */
export function masterPid(dataDir: string): number {
  const line = sshProcesses(dataDir).find((text) => /^\d+ ssh .*ControlMaster=yes/.test(text))
  if (!line) throw new Error(`no ssh: ${sshProcesses(dataDir).join('\n')}`)
  return Number.parseInt(line, 10)
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}
