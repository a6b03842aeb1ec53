// A machine of its own as far as the kernel gives one to root: its own network, processes, mounts, user and home. Nothing
// of the real machine is changed, and it ends with all its processes when the test process ends, however that ends.
import { execFile, spawn } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import { once } from 'node:events'
import { chownSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import type { Machine, MachineFolders } from './machine.ts'
import { offerPort } from './offer-port.ts'

const run = promisify(execFile)

const USER = 'bridge'
const UID = 64_123
const HOME = `/home/${USER}`
const SERVER = '/home/.server'
const SSHD = '/home/.sshd'

/** bash is the machine's first process: it takes in orphans and buries them. */
const INIT = `
set -e
read -r pid _ < /proc/self/stat
mount -t tmpfs -o mode=755 tmpfs /home
mkdir ${HOME} ${SERVER} ${SSHD}
mount --bind "$1/home" ${HOME}
mount --bind "$1/server" ${SERVER}
[ "$2" = / ] || mount --bind "$2" ${SSHD}
mount --bind ${SERVER}/passwd /etc/passwd
mount --bind ${SERVER}/group /etc/group
mount -t tmpfs -o mode=1777 tmpfs /tmp
mount -t tmpfs -o mode=755 tmpfs /run
mount -t proc proc /proc
ip link set lo up
echo "$pid"
while read -r _; do :; done
`

/** When the machine has ended, nobody needs its files. */
const OUTER = `unshare --net --mount --pid --fork --kill-child bash -c "$1" bash "$2" "$3"; rm -rf "$2"`

export async function namespaceMachine(folders: MachineFolders, sshdRoot: string): Promise<Machine> {
  const root = folders.root
  writeFileSync(
    path.join(folders.server, 'passwd'),
    withUser('/etc/passwd', `${USER}:x:${UID}:${UID}::${HOME}:/bin/bash`),
  )
  writeFileSync(path.join(folders.server, 'group'), withUser('/etc/group', `${USER}:x:${UID}:`))
  for (const folder of [folders.home, folders.server]) chownSync(folder, UID, UID)
  let booted = await boot(root, sshdRoot)
  const subnet = `198.${18 + randomInt(2)}.${randomInt(256)}`
  const there = `${subnet}.2`
  let link = await wire(booted.pid, subnet)
  const offered: number[] = []
  const offers: (() => void)[] = []
  const enter = (command: readonly string[], { asRoot = false } = {}) => {
    const account = asRoot ? [] : ['setpriv', `--reuid=${UID}`, `--regid=${UID}`, '--clear-groups']
    const environment = [
      'env',
      '-i',
      `HOME=${HOME}`,
      `USER=${USER}`,
      'PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin',
    ]
    return [
      'nsenter',
      '-t',
      String(booted.pid),
      '-m',
      '-n',
      '-p',
      '--wd=/',
      ...environment,
      ...account,
      ...command,
    ]
  }
  return {
    user: USER,
    home: HOME,
    server: SERVER,
    sshdRoot: sshdRoot === '/' ? '/' : SSHD,
    address: there,
    own: { uid: UID, gid: UID },
    settings: [],
    mark: '',
    run: async (command, options) => {
      const [file, ...args] = enter(command, options)
      return (await run(file!, args)).stdout
    },
    cut: () => setLink(link, 'down'),
    heal: () => setLink(link, 'up'),
    reboot: async () => {
      await run('ip', ['link', 'del', link])
      await booted.end()
      booted = await boot(root, sshdRoot)
      link = await wire(booted.pid, subnet)
      for (const end of offers.splice(0)) end()
      for (const port of offered) offers.push(await offerPort(port, { folders, pid: booted.pid }))
    },
    noRoom: async (place) => {
      await run('nsenter', [
        '-t',
        String(booted.pid),
        '-m',
        'mount',
        '-t',
        'tmpfs',
        '-o',
        `size=1m,uid=${UID}`,
        'tmpfs',
        place,
      ])
    },
    readOnlyHome: async () => {
      await run('nsenter', ['-t', String(booted.pid), '-m', 'mount', '-o', 'remount,bind,ro', HOME])
    },
    offer: async (port) => {
      offered.push(port)
      offers.push(await offerPort(port, { folders, pid: booted.pid }))
    },
    close: async () => {
      for (const end of offers) end()
      await run('ip', ['link', 'del', link])
      await booted.end()
    },
  }
}

async function boot(root: string, sshdRoot: string) {
  // The folder is kept while the machine restarts: `rm -rf` is for the end of the test process.
  const child = spawn('sh', ['-c', OUTER, 'sh', INIT, root, sshdRoot], {
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  })
  let complaint = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint += text
  })
  const closed = once(child, 'close')
  const lines = createInterface({ input: child.stdout })
  const [line] = await Promise.race([once(lines, 'line'), closed.then(() => [])])
  if (!line) throw new Error(`cannot make a machine of namespaces: ${complaint}`)
  const pid = Number(line)
  const end = async () => {
    // The outer shell first, so that it does not remove the files.
    child.kill('SIGKILL')
    child.stdin.destroy()
    const exited = whenGone(pid)
    process.kill(pid, 'SIGKILL')
    await Promise.all([closed, exited])
  }
  return { pid, end }
}

async function whenGone(pid: number): Promise<void> {
  while (isThere(pid)) await new Promise((resolve) => setTimeout(resolve, 5))
}

function isThere(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

/** Gives the name of our end of the cable. */
async function wire(pid: number, subnet: string): Promise<string> {
  const link = `db${randomBytes(5).toString('hex')}`
  const ip = (...args: string[]) => run('ip', args)
  const inside = (...args: string[]) => run('nsenter', ['-t', String(pid), '-n', 'ip', ...args])
  await ip('link', 'add', link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', String(pid))
  await ip('addr', 'add', `${subnet}.1/24`, 'dev', link)
  await inside('addr', 'add', `${subnet}.2/24`, 'dev', 'eth0')
  await inside('link', 'set', 'eth0', 'up')
  await ip('link', 'set', link, 'up')
  return link
}

async function setLink(link: string, state: 'up' | 'down'): Promise<void> {
  await run('ip', ['link', 'set', link, state])
}

function withUser(file: string, line: string): string {
  return `${readFileSync(file, 'utf8').trimEnd()}\n${line}\n`
}
