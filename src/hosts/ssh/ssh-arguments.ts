// How we call ssh. The user's config, agent and known_hosts count; what would take the connection out of our hands does not.
import { hopsOf, parseAddress, type SshHostSpec } from './ssh-target.ts'

export interface SshSettings {
  /** The program. */
  readonly ssh: string
  /** In place of the user's ssh config; null: theirs. */
  readonly configFile: string | null
  /** Keys that people confirmed to us; read in addition to the user's own files. */
  readonly knownHostsFile: string
  /** For ssh itself; the host sees nothing of it. */
  readonly env: Readonly<Record<string, string>>
}

/** Of the user's own ssh and its config for a host. */
export interface UsersConfig {
  /** The files it reads. */
  readonly knownHosts: readonly string[]
  /** It knows an option that sends it to the background, which older ones do not. */
  readonly canFork: boolean
}

/** Before the destination, for everything that makes a connection. */
export function connectArguments(
  spec: SshHostSpec,
  settings: SshSettings,
  { knownHosts, canFork, connectSeconds = 20 }: UsersConfig & { readonly connectSeconds?: number },
): string[] {
  const hops = hopsOf(spec.jump)
  const common = [
    ...baseArguments(spec, settings),
    // It would outlive us.
    ...(canFork ? options({ ForkAfterAuthentication: 'no' }) : []),
    ...strictArguments([...knownHosts, settings.knownHostsFile]),
  ]
  const last = hops.at(-1)
  // Not `-J`: its ssh would not be told to ask nobody, nor of the keys that were confirmed to us.
  const through = last
    ? ['-o', `ProxyCommand=${proxyCommand([settings.ssh, ...common, ...jumpArguments(hops, spec.name)])}`]
    : []
  return [
    ...common,
    ...through,
    '-o',
    `ConnectTimeout=${connectSeconds}`,
    ...destinationArguments(spec.destination, spec.name),
  ]
}

/** Never anything but `yes`: an unknown key is confirmed by a person, through `acceptKey`. */
function strictArguments(knownHosts: readonly string[]): string[] {
  const files = knownHosts.map((file) => `"${file}"`).join(' ')
  return options({
    StrictHostKeyChecking: 'yes',
    UserKnownHostsFile: files,
    // Both would take a key that no person has confirmed.
    NoHostAuthenticationForLocalhost: 'no',
    VerifyHostKeyDNS: 'no',
  })
}

function baseArguments(spec: SshHostSpec, { configFile }: SshSettings): string[] {
  return [
    ...(configFile ? ['-F', configFile] : []),
    ...(spec.identity ? ['-i', spec.identity] : []),
    ...options({
      BatchMode: 'yes',
      // ssh would add keys to the user's known_hosts by itself.
      UpdateHostKeys: 'no',
      // Whoever is root on the host could use the agent, and so could what codex runs.
      ForwardAgent: 'no',
      ForwardX11: 'no',
      ClearAllForwardings: 'yes',
      ControlMaster: 'no',
      ControlPath: 'none',
      ControlPersist: 'no',
      PermitLocalCommand: 'no',
      Tunnel: 'no',
      RemoteCommand: 'none',
      RequestTTY: 'no',
      LogLevel: 'ERROR',
    }),
  ]
}

export function options(values: Readonly<Record<string, string | number>>): string[] {
  return Object.entries(values).flatMap(([name, value]) => ['-o', `${name}=${value}`])
}

/** For the option: ssh replaces what follows a percent sign. */
export function controlPathOption(place: string): string {
  return `"${place.replaceAll('%', '%%')}"`
}

/** The host is the last of these. */
export function destinationArguments(text: string, name: string): string[] {
  const { user, host, port } = parseAddress(text, name)
  return [...(port ? ['-p', String(port)] : []), ...(user ? ['-l', user] : []), '--', host]
}

function jumpArguments(hops: readonly string[], name: string): string[] {
  const before = hops.slice(0, -1)
  return [
    ...(before.length > 0 ? ['-J', before.join(',')] : []),
    '-W',
    '[%h]:%p',
    ...destinationArguments(hops.at(-1)!, name),
  ]
}

/** ssh has a shell `exec` it, after it replaced what follows a percent sign. */
function proxyCommand(words: readonly string[]): string {
  const quoted = words.map((word) =>
    word === '[%h]:%p' ? word : `'${word.replaceAll("'", `'\\''`).replaceAll('%', '%%')}'`,
  )
  return quoted.join(' ')
}
