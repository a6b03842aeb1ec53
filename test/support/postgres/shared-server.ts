// One server for a whole test run, started when the first test asks for a database. The process that runs the tests owns
// it; its workers ask for databases over a socket, so nothing has to be agreed between them.
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { Databases, Template } from './databases.ts'

/** Names the socket. Inherited by the workers and by the programs that tests start. */
export const SOCKET_VARIABLE = 'DRAWBRIDGE_TEST_POSTGRES'

/** Costs a socket until somebody asks. Resolves to what ends it. */
export async function offerPostgres(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(path.join(tmpdir(), 'drawbridge-test-'))
  let databases: Promise<Databases> | null = null
  const server = createServer((socket) => {
    databases ??= import('./databases.ts').then((module) => new module.Databases())
    answer(socket, databases)
  })
  server.listen(path.join(folder, 'postgres')).unref()
  await once(server, 'listening')
  process.env[SOCKET_VARIABLE] = path.join(folder, 'postgres')
  return async () => {
    delete process.env[SOCKET_VARIABLE]
    server.close()
    await (await databases)?.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** One line for each: `create TEMPLATE`, or `drop NAME`. */
function answer(socket: Socket, databases: Promise<Databases>): void {
  socket.on('error', () => {})
  createInterface({ input: socket }).on('line', (line) => {
    const [verb, name] = line.split(' ')
    const done = databases.then(async (made) =>
      verb === 'create' ? made.create(name as Template) : made.drop(name!),
    )
    done.then(
      (value) => socket.end(`${JSON.stringify({ value })}\n`),
      (error: Error) => socket.end(`${JSON.stringify({ error: error.message })}\n`),
    )
  })
}
