// The keys of hosts. ssh itself is asked, so that the way, the port and the names are the same as those of a connection.
import { createHash } from 'node:crypto'
import { appendFileSync, chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { runBriefly } from '../local/run-briefly.ts'
import { explainFailure, type KeyTrouble, keyTroubleIn, lastLines } from './explain-failure.ts'
import {
  connectArguments,
  destinationArguments,
  options,
  type SshSettings,
  type UsersConfig,
} from './ssh-arguments.ts'
import { type HostKey, HostKeyError, SshHostError } from './ssh-host-error.ts'
import { hopsOf, type SshHostSpec } from './ssh-target.ts'

const LOOK_MS = 40_000

interface OfferedKey extends HostKey {
  /** As it stands in a known_hosts file. */
  readonly line: string
}

/** What the user's own ssh config says for this host. */
export async function usersConfig(
  spec: SshHostSpec,
  settings: SshSettings,
  { signal }: { signal?: AbortSignal } = {},
): Promise<UsersConfig> {
  // With a command: without one ssh refuses a config that would send it to the background.
  const args = [
    ...(settings.configFile ? ['-F', settings.configFile] : []),
    ...options({ RemoteCommand: 'none' }),
    '-G',
    ...destinationArguments(spec.destination, spec.name),
    'true',
  ]
  const { stdout } = await ask(spec, settings, args, signal)
  const line = /^userknownhostsfile (.*)$/m.exec(stdout)?.[1] ?? ''
  const knownHosts = line.split(' ').filter((file) => file !== '' && file !== 'none' && !file.includes('"'))
  return { knownHosts, canFork: /^forkafterauthentication /m.test(stdout) }
}

/** The error for a key that ssh refused, with what the host offers now. */
export async function keyError(
  spec: SshHostSpec,
  settings: SshSettings,
  { trouble, stderr, signal }: { trouble: KeyTrouble; stderr: string; signal?: AbortSignal },
): Promise<HostKeyError> {
  const keys = await keysOnTheWay(spec, settings, { signal }).catch(() => [])
  const { name: host, destination } = spec
  const shown = keys.map(({ type, fingerprint }) => `${type} ${fingerprint}`).join(', ') || lastLines(stderr)
  if (trouble === 'unknown') {
    return new HostKeyError(`the key of ${host} (${destination}) is not known: ${shown}`, {
      code: 'host-key-unknown',
      host,
      keys,
      hint: 'compare the fingerprint with what the owner of the host tells you, then confirm it',
    })
  }
  const message = `the key of ${host} (${destination}) is not the one that is known: it now shows ${shown}`
  return new HostKeyError(message, {
    code: 'host-key-changed',
    host,
    keys,
    hint: `somebody may be between you and the host. If its owner says that it has a new key, remove the old one from ${settings.knownHostsFile} and your own known_hosts (ssh-keygen -R), then confirm the new one`,
  })
}

/**
 * Writes down the key of a host that a person confirmed by its fingerprint, into our own file. Only what the host offers
 * now and what is not known at all: a key that has changed is never accepted here.
 */
export async function acceptKey(
  spec: SshHostSpec,
  settings: SshSettings,
  { fingerprint, signal }: { fingerprint: string; signal?: AbortSignal },
): Promise<void> {
  const users = await usersConfig(spec, settings, { signal })
  const args = [...options(WITHOUT_LOGIN), ...connectArguments(spec, settings, users), 'true']
  const { stderr } = await ask(spec, settings, args, signal)
  const trouble = keyTroubleIn(stderr)
  if (!trouble && /permission denied|no supported auth/i.test(stderr)) return
  if (!trouble) throw explainFailure(stderr, { host: spec.name, destination: spec.destination })
  if (trouble === 'changed') throw await keyError(spec, settings, { trouble, stderr, signal })
  const keys = await keysOnTheWay(spec, settings, { signal })
  const key = keys.find((offered) => offered.fingerprint === fingerprint)
  if (key) return addLine(settings.knownHostsFile, key.line)
  const shown = keys.map((offered) => offered.fingerprint).join(', ')
  const message = `${spec.name} does not have the key ${fingerprint}: it shows ${shown}`
  const hint = 'confirm a fingerprint only when it is the one that the owner of the host tells you'
  throw new HostKeyError(message, { code: 'host-key-differs', host: spec.name, keys, hint })
}

/** It stops before anything is offered to whoever answers. */
const WITHOUT_LOGIN = {
  PreferredAuthentications: 'none',
  PubkeyAuthentication: 'no',
  PasswordAuthentication: 'no',
  KbdInteractiveAuthentication: 'no',
  HostbasedAuthentication: 'no',
  GSSAPIAuthentication: 'no',
}

/** Of the host, or of the one we go through as long as that one is not known itself. */
async function keysOnTheWay(
  spec: SshHostSpec,
  settings: SshSettings,
  { signal }: { signal?: AbortSignal },
): Promise<OfferedKey[]> {
  const hops = hopsOf(spec.jump)
  const last = hops.at(-1)
  try {
    return await offeredKeys(spec, settings, { signal })
  } catch (error) {
    if (!last) throw error
    const before = { ...spec, destination: last, jump: hops.slice(0, -1).join(',') || null }
    return keysOnTheWay(before, settings, { signal })
  }
}

/** Has ssh note the key in a file that is thrown away: nothing is trusted by it, and nobody logs in. */
async function offeredKeys(
  spec: SshHostSpec,
  settings: SshSettings,
  { signal }: { signal?: AbortSignal },
): Promise<OfferedKey[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'drawbridge-key-'))
  const file = path.join(folder, 'known_hosts')
  const users = await usersConfig(spec, settings, { signal })
  const noted = options({
    ...WITHOUT_LOGIN,
    StrictHostKeyChecking: 'accept-new',
    UserKnownHostsFile: file,
    GlobalKnownHostsFile: '/dev/null',
    HashKnownHosts: 'no',
    CheckHostIP: 'no',
  })
  try {
    // The first value of an option counts.
    const args = [...noted, ...connectArguments(spec, settings, users), 'true']
    const { stderr } = await ask(spec, settings, args, signal)
    const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
    const keys = lines.filter((line) => line.trim() !== '').map((line) => describeKey(line.trim()))
    if (keys.length === 0) throw explainFailure(stderr, { host: spec.name, destination: spec.destination })
    return keys
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function describeKey(line: string): OfferedKey {
  const [, type = '', key = ''] = line.split(' ')
  const digest = createHash('sha256').update(Buffer.from(key, 'base64')).digest('base64')
  return { line, type, fingerprint: `SHA256:${digest.replace(/=+$/, '')}` }
}

function addLine(file: string, line: string): void {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  appendFileSync(file, `${line}\n`, { mode: 0o600, flush: true })
  chmodSync(file, 0o600)
}

async function ask(spec: SshHostSpec, settings: SshSettings, args: readonly string[], signal?: AbortSignal) {
  try {
    const env = { ...settings.env, SSH_ASKPASS_REQUIRE: 'never' }
    return await runBriefly(settings.ssh, args, { env, timeoutMs: LOOK_MS, signal })
  } catch (cause) {
    signal?.throwIfAborted()
    throw notInstalled(spec.name, settings.ssh, cause)
  }
}

export function notInstalled(host: string, ssh: string, cause: unknown): SshHostError {
  const message = `cannot run ${ssh} (${(cause as NodeJS.ErrnoException).code})`
  const hint = 'install the OpenSSH client (Debian: apt-get install openssh-client)'
  return new SshHostError(message, { code: 'ssh-not-installed', host, hint, cause })
}
