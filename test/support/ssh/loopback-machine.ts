// The machine for a developer who is not root: this one, with another home. sshd runs as the developer and lets only them in.
import { execFile, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync } from 'node:fs'
import { userInfo } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Machine, MachineFolders } from './machine.ts'

const run = promisify(execFile)

/** In the environment of everything that runs on the machine. */
const MARK = 'DRAWBRIDGE_TEST_MACHINE'

/** Kills sshd, its connections and everything that carries the mark: `sh -c KILL_ALL sh PIDFILE MARK`. */
const KILL_ALL = `
tree() { for child in $(cat /proc/$1/task/$1/children 2>/dev/null); do tree $child; done; echo $1; }
[ -s "$1" ] && kill -9 $(tree "$(cat "$1")") 2>/dev/null
for place in $(grep -lszx "$2" /proc/[0-9]*/environ); do
  pid=\${place#/proc/}
  kill -9 "\${pid%/environ}" 2>/dev/null
done
rm -f "$1"
`

export async function loopbackMachine(folders: MachineFolders, sshdRoot: string): Promise<Machine> {
  const mark = randomUUID()
  const pidFile = path.join(folders.server, 'sshd.pid')
  const killAll = ['-c', KILL_ALL, 'sh', pidFile, `${MARK}=${mark}`]
  // Ends everything when the test process is gone, however it ended.
  const watcher = spawn(
    'sh',
    ['-c', `read -r _; sh "$@"; chmod 700 "$0/home"; rm -rf "$0"`, folders.root, ...killAll],
    {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    },
  )
  const env = { HOME: folders.home, PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', [MARK]: mark }
  return {
    user: userInfo().username,
    home: folders.home,
    server: folders.server,
    sshdRoot,
    address: '127.0.0.1',
    own: null,
    settings: [`SetEnv HOME=${folders.home} ${MARK}=${mark}`],
    mark: `${MARK}=${mark}`,
    run: async ([file, ...args]) => (await run(file!, args, { env, cwd: '/' })).stdout,
    cut: null,
    heal: null,
    reboot: async () => {
      await run('sh', killAll)
    },
    noRoom: 'limit-file-size',
    readOnlyHome: async () => chmodSync(folders.home, 0o500),
    offer: async () => {},
    close: async () => {
      chmodSync(folders.home, 0o700)
      const closed = once(watcher, 'close')
      watcher.stdin.end()
      await closed
    },
  }
}
