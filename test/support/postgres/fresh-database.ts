import { once } from 'node:events'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import type { MadeDatabase, Template } from './databases.ts'
import { SOCKET_VARIABLE } from './shared-server.ts'

/** The address of a database on the run's server. Gone when the test has finished. */
export async function freshDatabase(template: Template = 'empty'): Promise<string> {
  const { name, url } = (await ask(`create ${template}`)) as MadeDatabase
  onTestFinished(async () => void (await ask(`drop ${name}`)))
  return url
}

async function ask(line: string): Promise<unknown> {
  const path = process.env[SOCKET_VARIABLE]
  if (!path) throw new Error('PostgreSQL is not offered to this test: see globalSetup in vitest.config.ts')
  const socket = connect(path)
  socket.write(`${line}\n`)
  const [reply] = (await once(createInterface({ input: socket }), 'line')) as [string]
  socket.destroy()
  const { value, error } = JSON.parse(reply)
  if (error !== undefined) throw new Error(`PostgreSQL for tests: ${error}`)
  return value
}
