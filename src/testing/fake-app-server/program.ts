// A process that passes for `codex` and follows a script, for the faults the real codex cannot be made to show.
// Arguments: the folder with its script and journal, then what the caller gave `codex`.
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { FakeAppServer } from './app-server.ts'
import { appendEvent, readEvents } from './journal.ts'
import type { FakeScript } from './script.ts'

const LONGEST_LIFE_MS = 10 * 60_000
const { pid } = process
const [folder = '.', ...args] = process.argv.slice(2)
const script = scriptOfThisRun()

if (args.includes('--version')) {
  process.stdout.write(`codex-cli ${script.version}\n`)
} else if (args[0] !== 'app-server') {
  process.stderr.write(`the fake codex knows app-server and --version, not: ${args.join(' ')}\n`)
  process.exitCode = 2
} else {
  appendEvent(folder, { event: 'started', pid, args, cwd: process.cwd() })
  await serve()
}

// Each start of the program takes the next script; the last one stays.
function scriptOfThisRun(): FakeScript & { version: string } {
  const scripts = JSON.parse(readFileSync(path.join(folder, 'scripts.json'), 'utf8')) as FakeScript[]
  const run = readEvents(folder).filter(({ event }) => event === 'started').length
  return { version: '0.166.0', ...(scripts[run] ?? scripts.at(-1)) }
}

async function serve(): Promise<void> {
  const server = new FakeAppServer(script, folder)
  const leave = (): void => {
    if (!script.ignoreTerm) process.exit(0)
  }
  process.on('SIGTERM', () => {
    appendEvent(folder, { event: 'signal', pid, signal: 'SIGTERM' })
    leave()
  })
  // A client that has gone away must not end the fake before its script does.
  process.stdout.on('error', () => {})
  leaveWithFolder()
  await server.start()
  let partial = ''
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    const lines = (partial + String(chunk)).split('\n')
    partial = lines.pop() ?? ''
    for (const line of lines) server.receive(line)
  }
  appendEvent(folder, { event: 'stdinEnded', pid })
  leave()
}

// Nothing a test forgets may stay behind: without its folder the fake has nobody to play for.
function leaveWithFolder(): void {
  const startedAt = Date.now()
  setInterval(() => {
    if (!existsSync(folder) || Date.now() - startedAt > LONGEST_LIFE_MS) process.exit(0)
  }, 200)
}
