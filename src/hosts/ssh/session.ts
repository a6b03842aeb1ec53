// One shell on a host, over the connection that stands, with its streams: what a script there reads and writes is not limited
// in size, and goes no faster than it is taken. Whatever the login shell prints before is not ours.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { Transform, type Writable } from 'node:stream'
import { cut, isCut, unusable } from './run-script.ts'
import { controlPathOption, options, type SshSettings } from './ssh-arguments.ts'

export interface Session {
  /** Of the script, from its first byte on. */
  readonly stdin: Writable
  readonly stdout: Transform
  /** Whether the script is known to have begun. */
  readonly hasBegun: () => boolean
  /** Rejects when the script did not come to its end, as far as we know. stdout has to be read for it to come. */
  readonly ended: Promise<SessionEnd>
  /** The connection to it is dropped. */
  readonly drop: () => void
}

export interface SessionEnd {
  readonly status: number
  /** Its end. */
  readonly stderr: string
}

const MAX_BEFORE = 1024 * 1024
const TAIL = 32 * 1024

export function openSession(
  text: string,
  { host, controlPath, settings }: { host: string; controlPath: string; settings: SshSettings },
): Session {
  const mark = randomBytes(9).toString('hex')
  const script = wrap(text, mark)
  const only = options({
    BatchMode: 'yes',
    ControlMaster: 'no',
    ControlPath: controlPathOption(controlPath),
    ProxyCommand: 'false',
  })
  // Byte by byte, because what follows is the script's input. Any login shell reads this line as it is.
  const read = `exec sh -c 'eval "$(dd bs=1 count=${Buffer.byteLength(script)} 2>/dev/null)"'`
  const child = spawn(settings.ssh, ['-F', 'none', ...only, '-T', '-a', '-x', '--', 'host', read], {
    env: { ...settings.env, SSH_ASKPASS_REQUIRE: 'never' },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  })
  const { promise, resolve, reject } = Promise.withResolvers<SessionEnd>()
  const stdout = new AfterMark(`\nbegin-${mark}\n`)
  let tail = ''
  child.stderr.setEncoding('latin1').on('data', (chunk: string) => {
    tail = (tail + chunk).slice(-TAIL)
  })
  child.stdin.on('error', () => {})
  child.on('error', (error) => reject(cut(host, String(error))))
  child.on('close', () => {
    const status = new RegExp(`\nend-${mark} (\\d+)\n`).exec(tail)?.[1]
    if (status !== undefined) resolve({ status: Number(status), stderr: between(tail, mark) })
    else reject(stdout.hasBegun || isCut(tail) ? cut(host, tail) : unusable(host, tail))
  })
  promise.catch((error) => stdout.destroy(error))
  child.stdout.on('error', () => {}).pipe(stdout)
  stdout.on('error', () => {})
  // Nobody reads it any more: without this its end would be waited for without end.
  stdout.on('close', () => stdout.readableEnded || child.kill('SIGKILL'))
  child.stdin.write(script)
  return {
    stdin: child.stdin,
    stdout,
    hasBegun: () => stdout.hasBegun,
    ended: promise,
    drop: () => child.kill('SIGKILL'),
  }
}

function between(text: string, mark: string): string {
  const begin = `begin-${mark}\n`
  const from = text.indexOf(begin)
  const said = text.slice(from === -1 ? 0 : from + begin.length, text.lastIndexOf(`\nend-${mark} `))
  return Buffer.from(said, 'latin1').toString('utf8')
}

/** The mark of the end is on stderr: stdout may be anything, and is passed on at once. */
function wrap(text: string, mark: string): string {
  return `printf '\\n%s\\n' 'begin-${mark}'
printf '%s\\n' 'begin-${mark}' >&2
(
${text}
)
printf '\\n%s %s\\n' 'end-${mark}' "$?" >&2
exit 0
`
}

class AfterMark extends Transform {
  hasBegun = false
  readonly #mark: string
  #before: Buffer = Buffer.alloc(0)

  constructor(mark: string) {
    super()
    this.#mark = mark
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    if (this.hasBegun) {
      this.push(chunk)
      done()
      return
    }
    this.#before = Buffer.concat([this.#before, chunk])
    const at = this.#before.indexOf(this.#mark)
    if (at !== -1) {
      this.hasBegun = true
      this.push(this.#before.subarray(at + this.#mark.length))
      this.#before = Buffer.alloc(0)
    }
    done(this.#before.length > MAX_BEFORE ? new Error('the login shell prints too much') : undefined)
  }
}
