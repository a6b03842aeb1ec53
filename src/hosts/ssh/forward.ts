// Ways through a connection that stands. Their ends are sockets in a folder of ours; ssh is told of them by its control socket.
import { execFile } from 'node:child_process'
import { lastLines } from './explain-failure.ts'
import { options, type SshSettings } from './ssh-arguments.ts'
import { SshHostError } from './ssh-host-error.ts'

const CONTROL_MS = 10_000

export interface Forward {
  /** A socket here. */
  readonly local: string
  /** A socket there, or an address and a port. */
  readonly remote: string
}

interface Through {
  readonly host: string
  readonly controlPath: string
  readonly settings: SshSettings
}

export function openForward(forward: Forward, through: Through): Promise<void> {
  return control('forward', forward, through)
}

export function closeForward(forward: Forward, through: Through): Promise<void> {
  return control('cancel', forward, through)
}

async function control(
  command: 'forward' | 'cancel',
  { local, remote }: Forward,
  { host, controlPath, settings }: Through,
): Promise<void> {
  const where = options({
    ControlPath: `"${controlPath}"`,
    StreamLocalBindUnlink: 'yes',
    StreamLocalBindMask: '0177',
  })
  const args = ['-F', 'none', ...where, '-O', command, '-L', `${local}:${remote}`, '--', 'host']
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  execFile(settings.ssh, args, { env: settings.env, timeout: CONTROL_MS }, (error, _stdout, stderr) =>
    error ? reject(refused(host, stderr, error)) : resolve(),
  )
  await promise
}

function refused(host: string, stderr: string, cause: unknown): SshHostError {
  const said = lastLines(stderr) || 'ssh said nothing'
  const message = `no way could be made through the connection to ${host}: ${said}`
  const hint = 'sshd there must allow forwarding (AllowTcpForwarding, AllowStreamLocalForwarding)'
  return new SshHostError(message, { code: 'ssh-forward-refused', host, hint, retryable: true, cause })
}
