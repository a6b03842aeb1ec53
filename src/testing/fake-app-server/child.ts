import { spawn } from 'node:child_process'

// Ends with the folder, so that a forgotten one does not stay.
const PROGRAM = `
  const { existsSync } = require('node:fs')
  const startedAt = Date.now()
  setInterval(() => {
    if (!existsSync(process.argv[1]) || Date.now() - startedAt > 60_000) process.exit(0)
  }, 100)
`

/** Starts a process in its own group, with our stdout when told to hold it, and gives its pid. */
export function spawnFakeChild(folder: string, { holdStdout }: { holdStdout: boolean }): number {
  const child = spawn(process.execPath, ['-e', PROGRAM, folder], {
    detached: true,
    stdio: ['ignore', holdStdout ? 'inherit' : 'ignore', 'ignore'],
  })
  child.unref()
  if (child.pid === undefined) throw new Error('the fake app-server could not start its child')
  return child.pid
}
