// Debian's sshd for the tests. Installing the package would start a server on port 22 of this machine, so where there is
// none the package is only unpacked into a folder of ours. That needs no root either.
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

const INSTALLED = '/usr/sbin/sshd'
const PACKAGES = ['openssh-server', 'libwrap0']
const ADVICE = 'install openssh-server (Debian: apt-get install openssh-server)'
const UNPACKED = path.join(tmpdir(), `drawbridge-test-sshd-${process.getuid?.() ?? 0}`)

export interface Sshd {
  /** The folder it was unpacked into; `/` for one that is installed. */
  readonly root: string
}

export function readySshd(): Sshd {
  if (existsSync(INSTALLED)) return { root: '/' }
  if (!existsSync(path.join(UNPACKED, INSTALLED))) unpack()
  return { root: UNPACKED }
}

/** How it is started where its files are seen at `place`. It insists on an absolute path of itself. */
export function sshdCommand({ root }: Sshd, place: string): readonly string[] {
  if (root === '/') return [INSTALLED]
  const libraries = globSync('{usr/,}lib/*-linux-*', { cwd: root }).map((folder) => path.join(place, folder))
  return ['env', `LD_LIBRARY_PATH=${libraries.join(':')}`, path.join(place, INSTALLED)]
}

/** Since OpenSSH 9.8 it starts another program for each connection. Lines for its settings. */
export function sshdSettings({ root }: Sshd, place: string): readonly string[] {
  const file = 'usr/lib/openssh/sshd-session'
  return root !== '/' && existsSync(path.join(root, file))
    ? [`SshdSessionPath ${path.join(place, file)}`]
    : []
}

function unpack(): void {
  process.stderr.write('Fetching openssh-server with apt-get (once) …\n')
  const folder = mkdtempSync(`${UNPACKED}-`)
  try {
    for (const name of PACKAGES) download(name, folder)
    const root = path.join(folder, 'root')
    mkdirSync(root, { mode: 0o755 })
    for (const file of globSync(path.join(folder, '*.deb'))) run('dpkg-deb', ['-x', file, root], folder)
    // Another test may have been faster.
    if (!existsSync(UNPACKED)) renameSync(root, UNPACKED)
  } catch (error) {
    throw new Error(`there is no sshd and it cannot be fetched (${(error as Error).message}): ${ADVICE}`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function download(name: string, folder: string): void {
  try {
    run('apt-get', ['download', name], folder)
  } catch {
    run('apt-get', ['update'], folder)
    run('apt-get', ['download', name], folder)
  }
}

function run(file: string, args: readonly string[], cwd: string): void {
  execFileSync(file, args, { cwd, stdio: ['ignore', 'ignore', 'pipe'] })
}
