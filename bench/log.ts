// A turn of 20,000 deltas from the real codex, stored and followed over SSE, against a bare reader (readline +
// JSON.parse) on the same binary and model; and how the time to list tasks and to open the last page of a task grows
// from 10,000 stored events to 1,000,000.
// Run: npm run bench:log [-- --store postgres] [--rounds 6] [--only turns|sizes]
import { parseArgs } from 'node:util'
import { type PostgresServer, startPostgres } from '../test/support/postgres/server.ts'
import { compareSizes } from './log-size.ts'
import { compareTurns } from './log-turns.ts'

const { values } = parseArgs({
  options: {
    store: { type: 'string', default: 'sqlite' },
    rounds: { type: 'string', default: '6' },
    only: { type: 'string' },
  },
})
const isShared = values.store === 'postgres'
const goal = isShared ? 1.5 : 1.15
const server: PostgresServer | null = isShared ? await startPostgres({ isDurable: true }) : null
try {
  const databaseUrl = server?.url('postgres')
  const said: string[] = []
  if (values.only !== 'sizes') {
    const turns = await compareTurns({ rounds: Number(values.rounds), databaseUrl })
    said.push(
      `${turns.wall.toFixed(2)} of a bare reader (goal ≤ ${goal}), ${turns.processor.toFixed(2)} of its processor time`,
      `${turns.wallOnSocket.toFixed(2)} of one on a socket, ${turns.processorOnSocket.toFixed(2)} of its processor time`,
    )
  }
  if (values.only !== 'turns') {
    const { list, page } = await compareSizes(server)
    said.push(`list ${list.toFixed(2)}, last page ${page.toFixed(2)} of 10,000 events (goal ≤ 1.5)`)
  }
  console.log(`ratio ${said.join('; ')}`)
} finally {
  await server?.close()
}
