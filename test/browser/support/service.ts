// The service in a process of its own, so that it can be killed under an open page: the parts of `drawbridge serve`, with
// the console of this clone. Says its address and a login link in one line of JSON.
import path from 'node:path'
import { serveApi } from '../../../src/api/index.ts'
import { appServerPool } from '../../../src/hosts/index.ts'
import { DEFAULT_SETTINGS, DurableTasks, openDatabase } from '../../../src/tasks/index.ts'
import { NO_NOTICES } from '../../support/no-notices.ts'

const { dataDir, port } = JSON.parse(process.argv[2]!) as { dataDir: string; port: number }

const pool = appServerPool({ dataDir, host: { env: process.env } })
const database = await openDatabase({ dataDir, now: Date.now })
const service = new DurableTasks({
  database,
  dataDir,
  appServers: pool,
  settings: { ...DEFAULT_SETTINGS, notices: NO_NOTICES },
  now: Date.now,
  observer: {
    eventsStored: () => {},
    turnEnded: () => {},
    incident: ({ type, message }) => console.error(`${type}: ${message}`),
    broken: (error) => console.error(error),
  },
})
await service.open()
const door = await serveApi({ service, dataDir, port, consoleDir: path.resolve('dist/console') })

process.on('SIGTERM', () => {
  void (async () => {
    await door.close()
    await service.close()
    await pool.endAll()
    await database.close()
    process.exit(0)
  })()
})
console.log(JSON.stringify({ url: door.url, loginLink: door.makeLoginLink().url }))
