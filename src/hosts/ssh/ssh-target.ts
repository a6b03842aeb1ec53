// Where a host is and how ssh gets there. What a person wrote becomes arguments of ssh: nothing in it may become an option.
import { SshHostError } from './ssh-host-error.ts'

export interface SshHostSpec {
  /** What people call it here. */
  readonly name: string
  /** `[user@]host[:port]`, or a name from the user's ssh config. */
  readonly destination: string
  /** A key file; null: what ssh tries by itself. */
  readonly identity?: string | null
  /** `[user@]host[:port]` to go through, or several with commas; null: what the user's ssh config says. */
  readonly jump?: string | null
  /** Of codex on the host; null: found or brought there. */
  readonly codexPath?: string | null
  /**
   * exec: app-server and login stay here and only commands run there. remote: the app-server runs there, and goes on
   * while this machine is off.
   */
  readonly mode?: 'exec' | 'remote'
  readonly labels?: readonly string[]
}

export interface Address {
  readonly user: string | null
  readonly host: string
  readonly port: number | null
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/
const USER = /^[A-Za-z0-9_.][A-Za-z0-9_.@+$\\-]*$/
const HOST = /^[A-Za-z0-9_.][A-Za-z0-9_.%-]*$/
const IPV6 = /^[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*(%[A-Za-z0-9_.-]+)?$/

/** Throws what is wrong with it. */
export function checkSpec(spec: SshHostSpec): void {
  const { name, destination, jump, identity, codexPath } = spec
  if (!NAME.test(name)) {
    throw refused(
      name,
      `${JSON.stringify(name)} cannot be the name of a host`,
      'use letters, digits, . _ and -',
    )
  }
  parseAddress(destination, name)
  for (const hop of hopsOf(jump)) parseAddress(hop, name)
  if (identity && /[\0\n\r"%]/.test(identity)) {
    throw refused(name, 'the path of the key file has characters that ssh cannot take', 'rename the file')
  }
  if (codexPath && /[\0\n\r]/.test(codexPath)) {
    throw refused(name, 'the path of codex there has line breaks in it', 'write it on one line')
  }
}

export function parseAddress(text: string, name: string): Address {
  const at = text.lastIndexOf('@')
  const user = at === -1 ? null : text.slice(0, at)
  const [host, port] = splitPort(text.slice(at + 1))
  const isHost = HOST.test(host) || IPV6.test(host)
  const isPort = port === null || (/^\d{1,5}$/.test(port) && Number(port) > 0 && Number(port) < 65_536)
  if (isHost && isPort && (user === null || USER.test(user))) {
    return { user, host, port: port === null ? null : Number(port) }
  }
  const hint = 'write [user@]host[:port], or a name from your ssh config; an IPv6 address with a port in [ ]'
  throw refused(name, `${JSON.stringify(text)} is not the address of a host`, hint)
}

export function hopsOf(jump: string | null | undefined): string[] {
  return jump ? jump.split(',').map((hop) => hop.trim()) : []
}

function splitPort(text: string): [host: string, port: string | null] {
  const bracketed = /^\[([^\]]*)\](?::(.*))?$/.exec(text)
  if (bracketed) return [bracketed[1]!, bracketed[2] ?? null]
  const colon = text.indexOf(':')
  // More than one colon is an IPv6 address without a port.
  if (colon === -1 || text.includes(':', colon + 1)) return [text, null]
  return [text.slice(0, colon), text.slice(colon + 1)]
}

function refused(host: string, message: string, hint: string): SshHostError {
  return new SshHostError(message, { code: 'ssh-destination-invalid', host, hint })
}
