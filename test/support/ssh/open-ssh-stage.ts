// A real sshd on a machine of its own, to be reached with a key: what a test connects to as users connect to theirs.
import { chownSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { freePort } from '../free-port.ts'
import { fingerprintOf, makeKey, publicKey } from './keys.ts'
import { loopbackMachine } from './loopback-machine.ts'
import type { Machine, MachineFolders } from './machine.ts'
import { namespaceMachine } from './namespace-machine.ts'
import { readySshd, type Sshd, sshdCommand, sshdSettings } from './ready-sshd.ts'
import { type SlowLink, slowLink } from './slow-link.ts'
import { COMMANDS, KILL_SSHD, SESSIONS, START_SSHD } from './sshd-scripts.ts'

export interface SshStageOptions {
  /** Put a slow link in between, which `delay` then sets. Without root there always is one. */
  readonly isSlow?: boolean
  /** What the login shell prints and does before everything else, as some people's does. */
  readonly profile?: string
}

export interface SshStage {
  /** `user@address`. */
  readonly destination: string
  readonly user: string
  readonly address: string
  readonly port: number
  /** Here: the key that is let in. */
  readonly identityFile: string
  /** Here: a file that knows the key of the host. */
  readonly knownHosts: string
  /** Of the host's key, as ssh shows it. */
  readonly fingerprint: () => string
  /** On the host. */
  readonly home: string
  /** The same folder, as it is seen from here. */
  readonly homeHere: string
  /** On the host: a codex that is installed, where nobody looks for one. */
  readonly codexPath: string
  /** Runs a program on the host as its user, without ssh, and gives what it printed. */
  readonly run: (...command: string[]) => Promise<string>
  /** A folder below the home was made from here: gives it to the user of the host. */
  readonly own: (place: string) => Promise<void>
  /** The link is down: nothing arrives and nobody is told. */
  readonly cut: () => Promise<void>
  readonly heal: () => Promise<void>
  /** The link is down for so long. */
  readonly cutFor: (milliseconds: number) => Promise<void>
  /** Everything takes this much longer, each way. Only with `isSlow`. */
  readonly delay: (milliseconds: number) => void
  /** No new connections; those that stand go on, unless they are to end as well. */
  readonly killSshd: (options?: { withSessions?: boolean }) => Promise<void>
  readonly startSshd: () => Promise<void>
  /** Every connection loses its process on the host (-9), while sshd takes new ones. */
  readonly killSessions: () => Promise<void>
  /** The host has another key from now on. */
  readonly changeHostKey: () => Promise<void>
  /** Every process of the host is killed, then sshd is started again. */
  readonly reboot: () => Promise<void>
  /** Files in this folder of the host find no room from now on. */
  readonly noRoom: (place: string) => Promise<void>
  readonly readOnlyHome: () => Promise<void>
  /** What listens on this port of our loopback can be reached at the same port of the host's, such as a scripted model. */
  readonly offer: (port: number) => Promise<void>
  /** The command lines of what runs there for the user, sshd's own aside. */
  readonly commands: () => Promise<string[]>
  /** Kills (-9) those whose command line begins so. */
  readonly kill: (command: string) => Promise<void>
  /** In the environment of everything there, so that it can be told from what else runs on this machine. */
  readonly env: Readonly<Record<string, string>>
  /** What sshd wrote. */
  readonly log: () => string
  readonly close: () => Promise<void>
}

/** It ends when it is closed, or with this process. */
export async function openSshStage(options: SshStageOptions = {}): Promise<SshStage> {
  const sshd = readySshd()
  const folders = makeFolders()
  const isRoot = process.getuid?.() === 0
  const machine = await (isRoot ? namespaceMachine : loopbackMachine)(folders, sshd.root)
  try {
    const listenPort = isRoot ? 2222 : await freePort()
    writeSettings(folders, machine, [
      `ListenAddress ${machine.address}:${listenPort}`,
      ...sshdSettings(sshd, machine.sshdRoot),
    ])
    writeFileSync(path.join(folders.home, '.bashrc'), options.profile ?? '')
    const target = { host: machine.address, port: listenPort }
    const link = options.isSlow || !machine.cut ? await slowLink(target) : null
    const stage = stageOf({ machine, sshd, folders, link, target })
    await stage.startSshd()
    return stage
  } catch (error) {
    await machine.close()
    rmSync(folders.root, { recursive: true, force: true })
    throw error
  }
}

interface Parts {
  readonly machine: Machine
  readonly sshd: Sshd
  readonly folders: MachineFolders
  readonly link: SlowLink | null
  readonly target: { readonly host: string; readonly port: number }
}

function stageOf({ machine, sshd, folders, link, target }: Parts): SshStage {
  const { host: address, port } = link ? { host: '127.0.0.1', port: link.port } : target
  const knownHosts = path.join(folders.root, 'known_hosts')
  const hostKey = path.join(folders.server, 'host-key')
  const pidFile = `${machine.server}/sshd.pid`
  let limit: readonly string[] = []
  const sh = (script: string, ...args: string[]) => machine.run(['sh', '-c', script, 'sh', ...args])
  const startSshd = async () => {
    const settings = ['-f', `${machine.server}/settings`, '-E', `${machine.server}/log`]
    await sh(START_SSHD, pidFile, ...limit, ...sshdCommand(sshd, machine.sshdRoot), ...settings)
  }
  const killSshd = async ({ withSessions = false } = {}) => {
    const sessions = withSessions ? await sh(SESSIONS, pidFile) : ''
    await sh(KILL_SSHD, pidFile, ...sessions.split('\n').filter((pid) => pid !== ''))
  }
  const cut = async () => (machine.cut && !link ? machine.cut() : link?.cut())
  const heal = async () => (machine.heal && !link ? machine.heal() : link?.heal())
  const processes = async () => {
    const lines = (await sh(COMMANDS, machine.mark)).split('\n').filter((line) => line !== '')
    return lines.map((line) => [line.split(' ')[0]!, line.slice(line.indexOf(' ') + 1)] as const)
  }
  writeKnownHosts(knownHosts, { address, port, hostKey })
  return {
    destination: `${machine.user}@${address}`,
    user: machine.user,
    address,
    port,
    identityFile: path.join(folders.root, 'identity'),
    knownHosts,
    fingerprint: () => fingerprintOf(hostKey),
    home: machine.home,
    codexPath: machine.codexPath,
    homeHere: folders.home,
    run: (...command) => machine.run(command),
    own: async (place) => {
      if (machine.own)
        await machine.run(['chown', '-R', machine.user, `${machine.home}/${place}`], { asRoot: true })
    },
    cut,
    heal,
    cutFor: async (milliseconds) => {
      await cut()
      await setTimeout(milliseconds)
      await heal()
    },
    delay: (milliseconds) => {
      if (!link) throw new Error('open the stage with isSlow')
      link.delay(milliseconds)
    },
    killSshd,
    startSshd,
    killSessions: async () => {
      await sh('kill -9 $(sh -c "$2" sh "$1") 2>/dev/null || :', pidFile, SESSIONS)
    },
    changeHostKey: async () => {
      await killSshd()
      makeKey(hostKey)
      own(machine, hostKey, `${hostKey}.pub`)
      await startSshd()
    },
    reboot: async () => {
      await machine.reboot()
      await startSshd()
    },
    noRoom: async (place) => {
      if (machine.noRoom !== 'limit-file-size') return machine.noRoom(place)
      limit = ['prlimit', '--fsize=1000000']
      await killSshd()
      await startSshd()
    },
    readOnlyHome: machine.readOnlyHome,
    offer: machine.offer,
    commands: async () => (await processes()).map(([, line]) => line),
    kill: async (command) => {
      const chosen = (await processes()).filter(([, line]) => line.startsWith(command))
      await machine.run(['kill', '-9', ...chosen.map(([pid]) => pid)])
    },
    env: Object.fromEntries(machine.mark ? [machine.mark.split('=')] : []),
    log: () => readFileSync(path.join(folders.server, 'log'), 'utf8'),
    close: async () => {
      await link?.close()
      await machine.close()
      rmSync(folders.root, { recursive: true, force: true })
    },
  }
}

function makeFolders(): MachineFolders {
  const root = mkdtempSync(path.join(tmpdir(), 'drawbridge-ssh-'))
  const folders = { root, home: path.join(root, 'home'), server: path.join(root, 'server') }
  mkdirSync(folders.home, { mode: 0o755 })
  mkdirSync(folders.server, { mode: 0o700 })
  makeKey(path.join(root, 'identity'))
  makeKey(path.join(folders.server, 'host-key'))
  return folders
}

function writeSettings(folders: MachineFolders, machine: Machine, more: readonly string[]): void {
  const here = (name: string) => path.join(folders.server, name)
  const there = (name: string) => `${machine.server}/${name}`
  copyFileSync(path.join(folders.root, 'identity.pub'), here('authorized_keys'))
  const lines = [
    `HostKey ${there('host-key')}`,
    `PidFile ${there('sshd.pid')}`,
    `AuthorizedKeysFile ${there('authorized_keys')}`,
    'StrictModes no',
    'UsePAM no',
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'PrintMotd no',
    'MaxStartups 100',
    'MaxSessions 100',
    ...machine.settings,
    ...more,
  ]
  writeFileSync(here('settings'), `${lines.join('\n')}\n`)
  own(machine, here('settings'), here('host-key'), here('host-key.pub'), here('authorized_keys'))
}

function own({ own: owner }: Machine, ...files: string[]): void {
  if (owner) for (const file of files) chownSync(file, owner.uid, owner.gid)
}

function writeKnownHosts(
  file: string,
  { address, port, hostKey }: { address: string; port: number; hostKey: string },
): void {
  writeFileSync(file, `[${address}]:${port} ${publicKey(hostKey)}\n`)
}
