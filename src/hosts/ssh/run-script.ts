// A POSIX sh script on a host, over the connection that stands. Whatever the login shell prints before or after is not ours.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { lastLines } from './explain-failure.ts'
import { controlPathOption, options, type SshSettings } from './ssh-arguments.ts'
import { SshHostError } from './ssh-host-error.ts'

const MAX_STDOUT = 8 * 1024 * 1024
const MAX_STDERR = 64 * 1024
/** No mark is longer. */
const MARK_BYTES = 64

export interface Script {
  readonly text: string
  /** Sent to the script's stdin once it has called `ready`. */
  readonly input?: () => Readable
  readonly timeoutMs: number
  /** Whether it does no harm twice: then a cut costs it a second run. */
  readonly isRepeatable?: boolean
  readonly signal?: AbortSignal
}

export interface ScriptEnd {
  readonly status: number
  readonly stdout: Buffer
  readonly stderr: string
}

/** Rejects when the script could not be run to its end; what it ended with is the caller's to judge. */
export async function runScript(
  script: Script,
  { host, controlPath, settings }: { host: string; controlPath: string; settings: SshSettings },
): Promise<ScriptEnd> {
  script.signal?.throwIfAborted()
  const mark = randomBytes(9).toString('hex')
  // Should the connection be gone, ssh would make one of its own: this way it cannot.
  const only = options({
    BatchMode: 'yes',
    ControlMaster: 'no',
    ControlPath: controlPathOption(controlPath),
    ProxyCommand: 'false',
  })
  const args = ['-F', 'none', ...only, '-T', '-a', '-x', '--', 'host', 'exec sh -s']
  const child = spawn(settings.ssh, args, {
    env: { ...settings.env, SSH_ASKPASS_REQUIRE: 'never' },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  })
  const { promise, resolve, reject } = Promise.withResolvers<ScriptEnd>()
  const kill = () => child.kill('SIGKILL')
  const onAbort = () => reject(script.signal?.reason)
  const timer = setTimeout(() => reject(timedOut(host, script.timeoutMs)), script.timeoutMs)
  script.signal?.addEventListener('abort', onAbort, { once: true })
  const stdout = new MarkedOutput(mark, () => void send())
  const stderr: string[] = []
  const send = async () => {
    if (!script.input) return
    // A script that ended early says why by itself.
    await pipeline(script.input(), child.stdin).catch(() => {})
  }
  child.stdin.on('error', () => {})
  child.on('error', (cause) => reject(cut(host, String(cause))))
  child.stdout.on('data', (chunk: Buffer) => {
    if (!stdout.push(chunk)) reject(tooMuch(host))
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (stderr.join('').length < MAX_STDERR) stderr.push(text)
  })
  child.on('close', () => {
    const end = stdout.end()
    if (end) resolve({ ...end, stderr: stderr.join('') })
    else
      reject(
        stdout.hasBegun || isCut(stderr.join(''))
          ? cut(host, stderr.join(''))
          : unusable(host, stderr.join('')),
      )
  })
  child.stdin.write(wrap(script.text, mark))
  if (!script.input) child.stdin.end()
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    script.signal?.removeEventListener('abort', onAbort)
    kill()
  }
}

/** All of it in one group, so that the shell has read it all before it begins: what follows is the script's input. */
function wrap(text: string, mark: string): string {
  return `{
printf '\\n%s\\n' 'begin-${mark}'
ready() { printf '%s' 'ready-${mark}'; }
(
${text}
)
printf '\\n%s %s\\n' 'end-${mark}' "$?"
exit 0
}
`
}

/** What stands between the marks. */
class MarkedOutput {
  hasBegun = false
  readonly #mark: string
  readonly #onReady: () => void
  #isReady = false
  readonly #chunks: Buffer[] = []
  #length = 0
  /** The end of what came, where a mark may have begun. */
  #tail: Buffer = Buffer.alloc(0)

  constructor(mark: string, onReady: () => void) {
    this.#mark = mark
    this.#onReady = onReady
  }

  /** False when it is too much. */
  push(chunk: Buffer): boolean {
    this.#chunks.push(chunk)
    this.#length += chunk.length
    const seen = Buffer.concat([this.#tail, chunk])
    this.#tail = seen.subarray(-MARK_BYTES)
    this.hasBegun ||= seen.includes(`begin-${this.#mark}`)
    if (!this.#isReady && seen.includes(`ready-${this.#mark}`)) {
      this.#isReady = true
      this.#onReady()
    }
    return this.#length <= MAX_STDOUT
  }

  end(): { status: number; stdout: Buffer } | null {
    const bytes = Buffer.concat(this.#chunks)
    const begin = `\nbegin-${this.#mark}\n`
    const from = bytes.indexOf(begin)
    const to = bytes.lastIndexOf(`\nend-${this.#mark} `)
    if (from === -1 || to < from) return null
    const stdout = bytes.subarray(from + begin.length, to)
    const status = Number.parseInt(bytes.subarray(to + `\nend-${this.#mark} `.length).toString('latin1'), 10)
    const ready = `ready-${this.#mark}`
    const start = stdout.indexOf(ready)
    return { status, stdout: start === -1 ? stdout : stdout.subarray(start + ready.length) }
  }
}

export function isCut(stderr: string): boolean {
  return /mux_client|control socket|connection closed|session open refused|broken pipe|shared connection/i.test(
    stderr,
  )
}

export function cut(host: string, why: string): SshHostError {
  const message = `the connection to ${host} was cut while a command ran${why.trim() ? `: ${lastLines(why)}` : ''}`
  return new SshHostError(message, {
    code: 'ssh-cut',
    host,
    hint: 'try again when it is back',
    retryable: true,
  })
}

export function unusable(host: string, stderr: string): SshHostError {
  const message = `${host} did not run a shell script: ${lastLines(stderr) || 'it said nothing'}`
  const hint = `check that \`ssh ${host} sh -c true\` works there: the account needs a shell, and its start files must not end it`
  return new SshHostError(message, { code: 'host-shell-unusable', host, hint })
}

export function timedOut(host: string, timeoutMs: number): SshHostError {
  const message = `${host} did not answer within ${Math.round(timeoutMs / 1000)} s`
  const hint = 'the host or the way to it is slow or silent: try again'
  return new SshHostError(message, { code: 'ssh-timed-out', host, hint, retryable: true })
}

function tooMuch(host: string): SshHostError {
  const message = `${host} sent more than ${MAX_STDOUT / 1024 / 1024} MB for a small question`
  return new SshHostError(message, {
    code: 'host-shell-unusable',
    host,
    hint: 'look at the start files of its shell',
  })
}
