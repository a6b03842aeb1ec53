// A service with one host, to be killed.
import path from 'node:path'
import { sshHost } from '../../../src/hosts/ssh/index.ts'

const { spec, dataDir, version } = JSON.parse(process.argv[2]!)
const host = sshHost(spec, {
  dataDir,
  env: process.env,
  now: Date.now,
  random: Math.random,
  configFile: path.join(dataDir, 'ssh_config'),
})
process.stdout.write(`${JSON.stringify(await host.execServer({ version }))}\n`)
setInterval(() => {}, 60_000)
