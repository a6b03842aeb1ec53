// A real PgBouncer between a worker and its PostgreSQL. It never outlives this process, however this process ends.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { freePort } from './free-port.ts'
import { serverAccount } from './postgres/server-account.ts'
import { SUPERVISOR } from './postgres/supervisor.ts'
import { HERE, readyProgram } from './ready-program.ts'

const PGBOUNCER = {
  name: 'pgbouncer',
  packages: ['pgbouncer'],
  programs: ['pgbouncer'],
  advice: 'install pgbouncer (Debian: apt-get install pgbouncer)',
}

/** The address of the same database through a PgBouncer in transaction mode, set up as the docs say. */
export async function throughPgBouncer(url: string): Promise<string> {
  // Debian puts it where only root looks.
  const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` }
  const program = readyProgram(PGBOUNCER, { ...HERE, env })
  const account = await serverAccount()
  const folder = await mkdtemp(path.join(tmpdir(), 'drawbridge-pgbouncer-'))
  const port = await freePort()
  const file = path.join(folder, 'pgbouncer.ini')
  await writeFile(file, settingsFor(new URL(url), port))
  if (account) for (const owned of [folder, file]) await chown(owned, account.uid, account.gid)
  const child = spawn('/bin/sh', ['-c', SUPERVISOR, 'sh', folder, program, file], {
    ...account,
    cwd: folder,
    env: { PATH: '/usr/bin:/bin' },
    stdio: ['pipe', 'ignore', 'pipe'],
    detached: true,
  })
  const closed = once(child, 'close')
  onTestFinished(async () => {
    child.stdin!.end('TERM\n')
    await closed
    await rm(folder, { recursive: true, force: true })
  })
  await whenUp(child.stderr!, closed)
  const through = new URL(url)
  through.port = String(port)
  return through.href
}

async function whenUp(stderr: NodeJS.ReadableStream, closed: Promise<unknown>): Promise<void> {
  let log = ''
  const up = Promise.withResolvers<void>()
  stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text
    if (log.includes('process up')) up.resolve()
  })
  const ended = closed.then(() => {
    throw new Error(`pgbouncer ended: ${log}`)
  })
  ended.catch(() => {})
  await Promise.race([up.promise, ended])
}

function settingsFor({ hostname, port, username, password, pathname }: URL, listenPort: number): string {
  const name = pathname.slice(1)
  const secret = decodeURIComponent(password)
  return [
    '[databases]',
    `${name} = host=${hostname} port=${port} dbname=${name} user=${username} password='${secret}'`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${listenPort}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    'ignore_startup_parameters = statement_timeout,idle_in_transaction_session_timeout',
    '',
  ].join('\n')
}
