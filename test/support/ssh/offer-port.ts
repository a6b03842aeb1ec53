// Two halves of a door between loopbacks of two networks: they meet at a socket in a folder that both see.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import path from 'node:path'
import type { MachineFolders } from './machine.ts'

const FAR_HALF = `
const { connect, createServer } = require('node:net')
const [file, port] = process.argv.slice(1)
process.stdin.on('end', () => process.exit()).resume()
createServer((near) => {
  const far = connect(file)
  near.on('error', () => far.destroy()).pipe(far).on('error', () => near.destroy()).pipe(near)
}).listen(Number(port), '127.0.0.1', () => console.log('listening'))
`

/** Gives how to end it. */
export async function offerPort(
  port: number,
  { folders, pid }: { folders: MachineFolders; pid: number },
): Promise<() => void> {
  const file = path.join(folders.server, `offer-${port}.sock`)
  rmSync(file, { force: true })
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    near
      .on('error', () => far.destroy())
      .pipe(far)
      .on('error', () => near.destroy())
      .pipe(near)
  })
  server.listen(file).unref()
  await once(server, 'listening')
  const args = ['-t', String(pid), '-n', process.execPath, '-e', FAR_HALF, file, String(port)]
  const child = spawn('nsenter', args, { stdio: ['pipe', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  return () => {
    child.stdin.end()
    server.close()
  }
}
