// The one ssh process of a host: it holds the connection, and everything else goes through its control socket.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { descendants, identify, isAlive, type ProcessIdentity, signal as sendSignal } from '../processes.ts'
import { removeFiles } from '../remove-files.ts'
import { until } from '../until.ts'
import { explainFailure, keyTroubleIn } from './explain-failure.ts'
import { keyError, notInstalled, usersConfig } from './host-keys.ts'
import { connectArguments, controlPathOption, options, type SshSettings } from './ssh-arguments.ts'
import { SshHostError } from './ssh-host-error.ts'
import type { SshHostSpec } from './ssh-target.ts'

const END_MS = 3_000
const MAX_STDERR = 16_000

/** Runs ssh for as long as we live: the end of stdin means that we are gone, however we ended. */
const SUPERVISOR = `
exec 3<&0
"$@" 3<&- </dev/null &
ssh=$!
{ read -r _ <&3; kill "$ssh"; sleep 2; kill -9 "$ssh"; } 2>/dev/null &
watcher=$!
exec 3<&-
wait "$ssh"
status=$?
kill -9 "$watcher" 2>/dev/null
exit "$status"
`

export interface MasterOptions {
  readonly controlPath: string
  /** Who it is, for whoever comes after a crash. */
  readonly recordFile: string
  /** The host is given up when it has been silent for three of these. */
  readonly aliveSeconds: number
  readonly connectMs: number
  readonly signal?: AbortSignal
}

export interface Master {
  readonly controlPath: string
  readonly pid: number
  /** What ssh said at its end. */
  readonly ended: Promise<string>
  readonly end: () => Promise<void>
}

/** Connects and logs in; nothing is left when this rejects. */
export async function startMaster(
  spec: SshHostSpec,
  settings: SshSettings,
  master: MasterOptions,
): Promise<Master> {
  await endRecorded(master.recordFile)
  const users = await usersConfig(spec, settings, { signal: master.signal })
  const args = [
    ...options({
      ControlMaster: 'yes',
      ControlPath: controlPathOption(master.controlPath),
      ServerAliveInterval: master.aliveSeconds,
      ServerAliveCountMax: 3,
      TCPKeepAlive: 'yes',
      StreamLocalBindUnlink: 'yes',
      StreamLocalBindMask: '0177',
      ExitOnForwardFailure: 'yes',
    }),
    '-N',
    '-T',
    ...connectArguments(spec, settings, { ...users, connectSeconds: Math.ceil(master.connectMs / 1000) }),
  ]
  const child = spawn('sh', ['-c', SUPERVISOR, 'sh', settings.ssh, ...args], {
    env: { ...settings.env, SSH_ASKPASS_REQUIRE: 'never' },
    stdio: ['pipe', 'ignore', 'pipe'],
    // Without a terminal there is nobody whom it, or the ssh it goes through, could ask.
    detached: true,
  })
  return await whenUp(child, { spec, settings, master })
}

async function whenUp(
  child: ChildProcess,
  { spec, settings, master }: { spec: SshHostSpec; settings: SshSettings; master: MasterOptions },
): Promise<Master> {
  child.stdin?.on('error', () => {})
  child.on('error', () => {})
  if (child.pid === undefined) throw notInstalled(spec.name, 'sh', (await once(child, 'error'))[0])
  const stderr = collect(child)
  let hasEnded = false
  const ended = once(child, 'exit').then(() => {
    hasEnded = true
    killGroup(child.pid!)
    removeFiles(master.controlPath, master.recordFile)
    return stderr()
  })
  record(master.recordFile, identify(child.pid))
  const end = async () => {
    child.stdin?.destroy()
    const timer = setTimeout(() => killGroup(child.pid!), END_MS)
    await ended
    clearTimeout(timer)
  }
  const isSettled = () => hasEnded || Boolean(master.signal?.aborted) || existsSync(master.controlPath)
  // Reaching the host and logging in are two waits of up to this long.
  const inTime = await until(isSettled, master.connectMs * 2)
  if (inTime && !hasEnded && !master.signal?.aborted) {
    return { controlPath: master.controlPath, pid: child.pid, ended, end }
  }
  await end()
  master.signal?.throwIfAborted()
  throw await failureOf(stderr(), { spec, settings, inTime })
}

async function failureOf(
  stderr: string,
  { spec, settings, inTime }: { spec: SshHostSpec; settings: SshSettings; inTime: boolean },
): Promise<SshHostError> {
  const { name: host, destination } = spec
  const trouble = keyTroubleIn(stderr)
  if (trouble) return keyError(spec, settings, { trouble, stderr })
  if (/: not found|No such file or directory/.test(stderr) && stderr.includes(settings.ssh)) {
    return notInstalled(host, settings.ssh, { code: 'ENOENT' })
  }
  if (inTime) return explainFailure(stderr, { host, destination })
  return new SshHostError(`${host} (${destination}) did not let us in in time`, {
    code: 'ssh-timed-out',
    host,
    hint: `check that \`ssh ${destination}\` works`,
    retryable: true,
  })
}

/** One that a crash of ours left behind. */
async function endRecorded(file: string): Promise<void> {
  const left = readIdentity(file)
  if (left && isAlive(left)) {
    for (const process of [...(await descendants(left)), left]) sendSignal(process, 'SIGKILL')
  }
  rmSync(file, { force: true })
}

function readIdentity(file: string): ProcessIdentity | null {
  try {
    const { pid, start } = Object(JSON.parse(readFileSync(file, 'utf8'))) as Record<string, unknown>
    return Number.isSafeInteger(pid) && typeof start === 'string' ? { pid: pid as number, start } : null
  } catch {
    return null
  }
}

function record(file: string, identity: ProcessIdentity | null): void {
  if (identity) writeFileSync(file, `${JSON.stringify(identity)}\n`, { mode: 0o600 })
}

/** It leads its own group, and ssh and what ssh started are in it. */
function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {} // nobody is left
}

function collect({ stderr }: ChildProcess): () => string {
  let text = ''
  stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    text = (text + chunk).slice(-MAX_STDERR)
  })
  return () => text
}
